#version 460
// Chooses the experts of row r: workgroup r, one subgroup. Of equal scores the lower id wins.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "include/activations.glsl"
#include "include/buffers.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint EXPERTS = 1;
layout(constant_id = 3) const uint USED = 1;
layout(constant_id = 4) const uint SCORING = 0;
layout(constant_id = 5) const uint GROUPS = 1;
layout(constant_id = 6) const uint GROUPS_USED = 1;
layout(constant_id = 7) const bool BEST_TWO = false; // a group's score is the sum of its best two, not its best
layout(constant_id = 8) const bool RENORMALIZE = false;

const uint SOFTMAX = 0;
const uint SOFTMAX_CHOSEN = 1;
const uint SIGMOID = 2;
const float NEVER = -3.402823466e38; // the lowest float
const uint NONE = 0xffffffffu;

layout(push_constant, scalar) uniform Push {
  Floats logits; // [rows, EXPERTS]
  Floats ids; // [rows, USED]
  Floats weights; // [rows, USED]
  Floats selectionBias; // [EXPERTS], or none
  Floats expertScales; // [EXPERTS], or none
  uint logitsStride;
  uint idsStride;
  uint weightsStride;
  float scale;
} push;

shared float scores[EXPERTS];
shared float ranked[EXPERTS]; // the scores that the choice goes by; NEVER once chosen
shared float groupScores[GROUPS];
shared uint chosen[USED];

uint lane() { return gl_SubgroupInvocationID; }

// Fills `scores`.
void score(uint row) {
  float most = NEVER;
  for (uint e = lane(); e < EXPERTS; e += SUBGROUP) {
    scores[e] = push.logits.v[row * push.logitsStride + e];
    most = max(most, scores[e]);
  }
  if (SCORING == SIGMOID) for (uint e = lane(); e < EXPERTS; e += SUBGROUP) scores[e] = sigmoid(scores[e]);
  if (SCORING != SOFTMAX) return;
  most = subgroupMax(most);
  float sum = 0.0;
  for (uint e = lane(); e < EXPERTS; e += SUBGROUP) sum += scores[e] = exp(scores[e] - most);
  sum = subgroupAdd(sum);
  for (uint e = lane(); e < EXPERTS; e += SUBGROUP) scores[e] /= sum;
}

// The group's score, by one lane.
float group_score(uint group) {
  float best = NEVER;
  float second = NEVER;
  for (uint e = group * (EXPERTS / GROUPS); e < (group + 1) * (EXPERTS / GROUPS); e++) {
    second = max(second, min(best, ranked[e]));
    best = max(best, ranked[e]);
  }
  return BEST_TWO && EXPERTS > GROUPS ? best + second : best;
}

// Takes experts out of the choice whose group is not among the best: those that GROUPS_USED others are ahead of.
void drop_weak_groups() {
  for (uint g = lane(); g < GROUPS; g += SUBGROUP) groupScores[g] = group_score(g);
  barrier();
  for (uint e = lane(); e < EXPERTS; e += SUBGROUP) {
    const uint group = e / (EXPERTS / GROUPS);
    uint ahead = 0;
    for (uint g = 0; g < GROUPS; g++) {
      ahead += uint(groupScores[g] > groupScores[group] || groupScores[g] == groupScores[group] && g < group);
    }
    if (ahead >= GROUPS_USED) ranked[e] = NEVER;
  }
}

// The best expert that is left, taken out of the choice.
uint take_best() {
  float best = NEVER;
  uint id = NONE;
  for (uint e = lane(); e < EXPERTS; e += SUBGROUP) {
    if (ranked[e] > best || id == NONE && ranked[e] == best) {
      best = ranked[e];
      id = e;
    }
  }
  id = subgroupMin(best == subgroupMax(best) ? id : NONE);
  id = min(id, EXPERTS - 1); // only scores that are not numbers leave none
  if (lane() == id % SUBGROUP) ranked[id] = NEVER;
  return id;
}

void main() {
  const uint row = gl_WorkGroupID.x;
  score(row);
  for (uint e = lane(); e < EXPERTS; e += SUBGROUP) {
    ranked[e] = present(push.selectionBias) ? scores[e] + push.selectionBias.v[e] : scores[e];
  }
  if (GROUPS > 1) {
    barrier();
    drop_weak_groups();
  }
  for (uint i = 0; i < USED; i++) {
    const uint id = take_best();
    if (lane() == 0) chosen[i] = id;
  }
  barrier();
  // The softmax over the chosen ones goes by the largest of their scores; without a bias that is the first.
  float most = NEVER;
  for (uint i = lane(); i < USED; i += SUBGROUP) most = max(most, scores[chosen[i]]);
  most = subgroupMax(most);
  float sum = 0.0;
  for (uint i = lane(); i < USED; i += SUBGROUP) {
    const float score = scores[chosen[i]];
    sum += SCORING == SOFTMAX_CHOSEN ? exp(score - most) : score;
  }
  sum = subgroupAdd(sum);
  for (uint i = lane(); i < USED; i += SUBGROUP) {
    const uint id = chosen[i];
    float weight = SCORING == SOFTMAX_CHOSEN ? exp(scores[id] - most) / sum : scores[id];
    if (RENORMALIZE && SCORING != SOFTMAX_CHOSEN) weight = sum > 0.0 ? weight / sum : 0.0;
    if (present(push.expertScales)) weight *= push.expertScales.v[id];
    push.ids.v[row * push.idsStride + i] = float(id);
    push.weights.v[row * push.weightsStride + i] = weight * push.scale;
  }
}
