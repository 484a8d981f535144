#version 460
// The gated delta net. Workgroup h: value head h. A team of TEAM lanes keeps one row of the transposed state (what all keys
// recall of one value element) in its registers while the rows of the batch go by; the workgroup goes through the value
// elements TEAMS at a time, and at last normalises and gates what it has written.
//
// With lengths |k| and |q| divided out of the sums, one pass over the state gives both what it knows of the key and its answer:
// q . (S + k c) = q . S + (q . k) c.
#extension GL_GOOGLE_include_directive : require
#include "include/activations.glsl"
#include "include/shared_floats.glsl"
#include "include/step.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint TEAM = 16;
layout(constant_id = 3) const uint KEY_DIM = 128;
layout(constant_id = 4) const bool TILED = false; // value head h uses key head h mod keyHeads
#include "include/teams.glsl"
const uint PER_LANE = (KEY_DIM + TEAM - 1) / TEAM;
const float LENGTH_EPSILON = 1e-6;

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats qkv; // [rows, (2 * keyHeads + ...) * KEY_DIM]: queries, keys, values
  Floats alpha;
  Floats beta;
  Floats gate;
  SharedFloats y;
  Floats decay;
  Floats dtBias;
  Floats normWeight;
  Floats state; // [valueHeads, valueDim, KEY_DIM]
  uint keyHeads;
  uint valueHeads;
  uint valueDim;
  uint gateGroup; // value heads whose alphas (or betas) lie together
  uint qkvStride;
  uint alphaStride;
  uint betaStride;
  uint gateStride;
  uint yStride;
  float epsilon;
} push;

// Carries value element `column` through the batch. All lanes of the workgroup take part.
void scan(uint head, uint column, bool valid) {
  const uint lane = lane_index() % TEAM;
  const uint keyHead = TILED ? head % push.keyHeads : head * push.keyHeads / push.valueHeads;
  const uint gateAt = head / push.gateGroup * 2 * push.gateGroup + head % push.gateGroup;
  const uint element = head * push.valueDim + column;
  const uint first = element * KEY_DIM;
  float state[PER_LANE];
  [[unroll]] for (uint n = 0; n < PER_LANE; n++) state[n] = push.state.v[first + min(lane + n * TEAM, KEY_DIM - 1)];
  for (uint row = 0; row < push.step.tokenCount; row++) {
    float keys[PER_LANE]; // 0 beyond the end of the head, like the queries
    float queries[PER_LANE];
    [[unroll]] for (uint n = 0; n < PER_LANE; n++) {
      const uint i = lane + n * TEAM;
      const uint at = row * push.qkvStride + keyHead * KEY_DIM + min(i, KEY_DIM - 1);
      queries[n] = i < KEY_DIM ? push.qkv.v[at] : 0.0;
      keys[n] = i < KEY_DIM ? push.qkv.v[at + push.keyHeads * KEY_DIM] : 0.0;
    }
    const float value = push.qkv.v[row * push.qkvStride + 2 * push.keyHeads * KEY_DIM + element];
    const float alpha = push.alpha.v[row * push.alphaStride + gateAt] + push.dtBias.v[head];
    const float kept = exp(push.decay.v[head] * softplus(alpha));
    const float strength = sigmoid(push.beta.v[row * push.betaStride + gateAt]);
    float keySquares = 0.0, querySquares = 0.0, product = 0.0, known = 0.0, answer = 0.0;
    [[unroll]] for (uint n = 0; n < PER_LANE; n++) {
      state[n] *= kept;
      keySquares += keys[n] * keys[n];
      querySquares += queries[n] * queries[n];
      product += keys[n] * queries[n];
      known += keys[n] * state[n];
      answer += queries[n] * state[n];
    }
    const float keyFactor = inversesqrt(team_sum(keySquares) + LENGTH_EPSILON);
    const float queryFactor = inversesqrt((team_sum(querySquares) + LENGTH_EPSILON) * float(KEY_DIM));
    const float correction = strength * (value - keyFactor * team_sum(known));
    [[unroll]] for (uint n = 0; n < PER_LANE; n++) state[n] += keyFactor * keys[n] * correction;
    answer = queryFactor * (team_sum(answer) + keyFactor * team_sum(product) * correction);
    if (lane == 0 && valid) push.y.v[row * push.yStride + element] = answer;
  }
  if (!valid || push.step.stopped != 0) return;
  [[unroll]] for (uint n = 0; n < PER_LANE; n++) {
    if (lane + n * TEAM < KEY_DIM) push.state.v[first + lane + n * TEAM] = state[n];
  }
}

// Normalises and gates the head's results, a row per subgroup.
void finish(uint head) {
  for (uint row = gl_SubgroupID; row < push.step.tokenCount; row += SUBGROUPS) {
    const uint y = row * push.yStride + head * push.valueDim;
    float squares = 0.0;
    for (uint j = gl_SubgroupInvocationID; j < push.valueDim; j += SUBGROUP) squares += push.y.v[y + j] * push.y.v[y + j];
    const float factor = inversesqrt(subgroupAdd(squares) / float(push.valueDim) + push.epsilon);
    for (uint j = gl_SubgroupInvocationID; j < push.valueDim; j += SUBGROUP) {
      const float gate = push.gate.v[row * push.gateStride + head * push.valueDim + j];
      push.y.v[y + j] = push.y.v[y + j] * factor * push.normWeight.v[j] * activate(1, gate);
    }
  }
}

void main() {
  const uint head = gl_WorkGroupID.x;
  for (uint first = 0; first < push.valueDim; first += TEAMS) {
    const uint column = first + lane_index() / TEAM;
    scan(head, min(column, push.valueDim - 1), column < push.valueDim);
  }
  memoryBarrierBuffer();
  barrier();
  finish(head);
}
