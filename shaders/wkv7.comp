#version 460
// RWKV-7's time mixing. Workgroup h: head h. A team of TEAM lanes keeps one row of the transposed state (what all keys recall of
// one value element) in its registers while the rows of the batch go by; the workgroup goes through the value elements TEAMS
// at a time, and at last normalises, adds the bonus and gates what it has written.
//
// One pass over the old state S gives both what it recalls for the removal key and its answer: with S' = w S - (u a) c + k v,
// r . S' = r . (w S) - (r . u a) c + (r . k) v, where u is the removal key scaled to length one and c what it recalls.
#extension GL_GOOGLE_include_directive : require
#include "include/activations.glsl"
#include "include/shared_floats.glsl"
#include "include/step.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint TEAM = 8;
layout(constant_id = 3) const uint HEAD_DIM = 64;
#include "include/teams.glsl"
const uint PER_LANE = (HEAD_DIM + TEAM - 1) / TEAM;
const float DECAY_RATE = 0.6065306597126334; // exp(-1/2)
const float LENGTH_FLOOR = 1e-12;
const float GROUP_NORM_EPSILON = 64e-5;

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats r; // like all that follow up to y, [rows, width]
  Floats decay;
  Floats k;
  Floats v;
  Floats a;
  Floats gate;
  SharedFloats y;
  Floats removalScale;
  Floats learningScale;
  Floats bonus;
  Floats normWeight;
  Floats normBias;
  Floats state; // [heads, values, keys]
  uint width;
} push;

// The key that is added, from the learning rate `a`.
float added_key(uint row, uint i) {
  const float a = push.a.v[row * push.width + i];
  return push.k.v[row * push.width + i] * (1.0 + (a - 1.0) * push.learningScale.v[i]);
}

// Carries value element `column` of head `head` through the batch. All lanes of the workgroup take part.
void scan(uint head, uint column, bool valid) {
  const uint lane = lane_index() % TEAM;
  const uint element = head * HEAD_DIM + column;
  float state[PER_LANE];
  [[unroll]] for (uint n = 0; n < PER_LANE; n++) state[n] = push.state.v[element * HEAD_DIM + min(lane + n * TEAM, HEAD_DIM - 1)];
  for (uint row = 0; row < push.step.tokenCount; row++) {
    const float value = push.v.v[row * push.width + element];
    float kept[PER_LANE], removal[PER_LANE], learned[PER_LANE], added[PER_LANE];
    float squares = 0.0, recalled = 0.0, answer = 0.0, removed = 0.0, matched = 0.0;
    [[unroll]] for (uint n = 0; n < PER_LANE; n++) {
      const bool inside = lane + n * TEAM < HEAD_DIM;
      const uint i = head * HEAD_DIM + min(lane + n * TEAM, HEAD_DIM - 1);
      const uint at = row * push.width + i;
      const float r = inside ? push.r.v[at] : 0.0;
      removal[n] = inside ? push.k.v[at] * push.removalScale.v[i] : 0.0;
      learned[n] = removal[n] * push.a.v[at];
      added[n] = inside ? added_key(row, i) : 0.0;
      kept[n] = exp(-DECAY_RATE * sigmoid(push.decay.v[at])) * state[n];
      squares += removal[n] * removal[n];
      recalled += removal[n] * state[n];
      answer += r * kept[n];
      removed += r * learned[n];
      matched += r * added[n];
    }
    const float factor = 1.0 / max(sqrt(team_sum(squares)), LENGTH_FLOOR);
    const float correction = factor * factor * team_sum(recalled);
    answer = team_sum(answer) - team_sum(removed) * correction + team_sum(matched) * value;
    [[unroll]] for (uint n = 0; n < PER_LANE; n++) state[n] = kept[n] - learned[n] * correction + added[n] * value;
    if (lane == 0 && valid) push.y.v[row * push.width + element] = answer;
  }
  if (!valid || push.step.stopped != 0) return;
  [[unroll]] for (uint n = 0; n < PER_LANE; n++) {
    if (lane + n * TEAM < HEAD_DIM) push.state.v[element * HEAD_DIM + lane + n * TEAM] = state[n];
  }
}

// The rest of the head's results, a row per subgroup.
void finish(uint head) {
  for (uint row = gl_SubgroupID; row < push.step.tokenCount; row += SUBGROUPS) {
    const uint y = row * push.width;
    float mean = 0.0;
    float extra = 0.0;
    for (uint j = gl_SubgroupInvocationID; j < HEAD_DIM; j += SUBGROUP) {
      const uint i = head * HEAD_DIM + j;
      mean += push.y.v[y + i];
      extra += push.r.v[y + i] * added_key(row, i) * push.bonus.v[i];
    }
    mean = subgroupAdd(mean) / float(HEAD_DIM);
    extra = subgroupAdd(extra);
    float squares = 0.0;
    for (uint j = gl_SubgroupInvocationID; j < HEAD_DIM; j += SUBGROUP) {
      const float difference = push.y.v[y + head * HEAD_DIM + j] - mean;
      squares += difference * difference;
    }
    const float factor = inversesqrt(subgroupAdd(squares) / float(HEAD_DIM) + GROUP_NORM_EPSILON);
    for (uint j = gl_SubgroupInvocationID; j < HEAD_DIM; j += SUBGROUP) {
      const uint i = head * HEAD_DIM + j;
      const float normed = (push.y.v[y + i] - mean) * factor * push.normWeight.v[i] + push.normBias.v[i];
      push.y.v[y + i] = (normed + extra * push.v.v[y + i]) * push.gate.v[y + i];
    }
  }
}

void main() {
  const uint head = gl_WorkGroupID.x;
  for (uint first = 0; first < HEAD_DIM; first += TEAMS) {
    const uint column = first + lane_index() / TEAM;
    scan(head, min(column, HEAD_DIM - 1), column < HEAD_DIM);
  }
  memoryBarrierBuffer();
  barrier();
  finish(head);
}
