#version 460
// The scans of Mamba and Mamba-2. Each channel (a head's element) has STATE numbers, kept in the registers of a team of TEAM
// lanes while the rows of the batch go by. Workgroup i: channels from i * TEAMS on.
#extension GL_GOOGLE_include_directive : require
#include "include/activations.glsl"
#include "include/buffers.glsl"
#include "include/step.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint TEAM = 16;
layout(constant_id = 3) const uint STATE = 16;
layout(constant_id = 4) const bool DECAY_PER_ELEMENT = false; // decay is [channels, STATE], not [heads]
#include "include/teams.glsl"
const uint PER_LANE = (STATE + TEAM - 1) / TEAM;

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats x; // [rows, channels]
  Floats b; // [rows, groups * STATE]
  Floats c; // the same
  Floats dt; // [rows, heads]
  Floats gate; // [rows, channels]
  Floats y; // [rows, channels]
  Floats decay;
  Floats dtBias; // [heads], or none
  Floats skip; // [heads]
  Floats state; // [channels, STATE]
  uint channels;
  uint headDim; // channels of a head
  uint groupDim; // channels of a group of heads that share b and c
  uint xStride;
  uint bcStride;
  uint dtStride;
  uint gateStride;
  uint yStride;
} push;

void main() {
  const uint lane = lane_index() % TEAM;
  const uint team = gl_WorkGroupID.x * TEAMS + lane_index() / TEAM;
  const uint channel = min(team, push.channels - 1); // spare teams repeat the last channel, so that all take part in the sums
  const uint head = channel / push.headDim;
  const uint group = channel / push.groupDim * STATE;
  const float dtBias = present(push.dtBias) ? push.dtBias.v[head] : 0.0;
  const float skip = push.skip.v[head];
  float state[PER_LANE];
  float decay[PER_LANE];
  [[unroll]] for (uint k = 0; k < PER_LANE; k++) {
    const uint n = min(lane + k * TEAM, STATE - 1);
    state[k] = push.state.v[channel * STATE + n];
    decay[k] = push.decay.v[DECAY_PER_ELEMENT ? channel * STATE + n : head];
  }
  for (uint row = 0; row < push.step.tokenCount; row++) {
    const float x = push.x.v[row * push.xStride + channel];
    const float step = softplus(push.dt.v[row * push.dtStride + head] + dtBias);
    float sum = 0.0;
    [[unroll]] for (uint k = 0; k < PER_LANE; k++) {
      const uint n = lane + k * TEAM;
      const uint at = row * push.bcStride + group + min(n, STATE - 1);
      state[k] = exp(step * decay[k]) * state[k] + step * push.b.v[at] * x;
      if (n < STATE) sum += push.c.v[at] * state[k];
    }
    sum = team_sum(sum) + skip * x;
    if (lane == 0 && team < push.channels) {
      push.y.v[row * push.yStride + channel] = sum * activate(1, push.gate.v[row * push.gateStride + channel]);
    }
  }
  if (team >= push.channels || push.step.stopped != 0) return;
  [[unroll]] for (uint k = 0; k < PER_LANE; k++) {
    const uint n = lane + k * TEAM;
    if (n < STATE) push.state.v[channel * STATE + n] = state[k];
  }
}
