// Chooses the experts of one row from its logits, by one subgroup. Of equal scores the lower id wins.
//
// The including file declares the specialization constants SUBGROUP, EXPERTS, USED, SCORING, GROUPS, GROUPS_USED, BEST_TWO and
// RENORMALIZE, the push constants selectionBias, expertScales and weightScale, and float logit(uint expert).
#ifndef CHOOSE_EXPERTS_GLSL
#define CHOOSE_EXPERTS_GLSL

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "activations.glsl"
#include "buffers.glsl"

const uint SOFTMAX = 0;
const uint SOFTMAX_CHOSEN = 1;
const uint SIGMOID = 2;
const float NEVER = -3.402823466e38; // the lowest float
const uint NONE = 0xffffffffu;

shared float scores[EXPERTS];
shared float ranked[EXPERTS]; // the scores that the choice goes by; NEVER once chosen
shared float groupScores[GROUPS];
shared uint chosen[USED];

uint chooser() { return gl_SubgroupInvocationID; }

// Lets the lanes of the subgroup see what each wrote to shared memory.
void choosers_meet() {
  subgroupMemoryBarrierShared();
  subgroupBarrier();
}

// Fills `scores`.
void score_experts() {
  float most = NEVER;
  for (uint e = chooser(); e < EXPERTS; e += SUBGROUP) {
    scores[e] = logit(e);
    most = max(most, scores[e]);
  }
  if (SCORING == SIGMOID) for (uint e = chooser(); e < EXPERTS; e += SUBGROUP) scores[e] = sigmoid(scores[e]);
  if (SCORING != SOFTMAX) return;
  most = subgroupMax(most);
  float sum = 0.0;
  for (uint e = chooser(); e < EXPERTS; e += SUBGROUP) sum += scores[e] = exp(scores[e] - most);
  sum = subgroupAdd(sum);
  for (uint e = chooser(); e < EXPERTS; e += SUBGROUP) scores[e] /= sum;
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
  for (uint g = chooser(); g < GROUPS; g += SUBGROUP) groupScores[g] = group_score(g);
  choosers_meet();
  for (uint e = chooser(); e < EXPERTS; e += SUBGROUP) {
    const uint group = e / (EXPERTS / GROUPS);
    uint ahead = 0;
    for (uint g = 0; g < GROUPS; g++) {
      ahead += uint(groupScores[g] > groupScores[group] || groupScores[g] == groupScores[group] && g < group);
    }
    if (ahead >= GROUPS_USED) ranked[e] = NEVER;
  }
}

// A number that grows with `score`: GPUs find the largest integer of a subgroup in one instruction.
uint order_of(float score) {
  const uint bits = floatBitsToUint(score == 0.0 ? 0.0 : score);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

// The best expert that is left, taken out of the choice.
uint take_best() {
  uint best = 0;
  uint id = NONE;
  for (uint e = chooser(); e < EXPERTS; e += SUBGROUP) {
    const uint order = order_of(ranked[e]);
    if (order > best || id == NONE) {
      best = order;
      id = e;
    }
  }
  id = subgroupMin(best == subgroupMax(best) ? id : NONE);
  if (chooser() == id % SUBGROUP) ranked[id] = NEVER;
  return id;
}

// Writes the row's USED experts, best first, and their weights.
void choose_experts(Floats ids, Floats weights) {
  score_experts();
  for (uint e = chooser(); e < EXPERTS; e += SUBGROUP) {
    ranked[e] = present(push.selectionBias) ? scores[e] + push.selectionBias.v[e] : scores[e];
  }
  if (GROUPS > 1) {
    choosers_meet();
    drop_weak_groups();
  }
  for (uint i = 0; i < USED; i++) {
    const uint id = take_best();
    if (chooser() == 0) chosen[i] = id;
  }
  choosers_meet();
  // The softmax over the chosen ones goes by the largest of their scores; without a bias that is the first.
  float most = NEVER;
  for (uint i = chooser(); i < USED; i += SUBGROUP) most = max(most, scores[chosen[i]]);
  most = subgroupMax(most);
  float sum = 0.0;
  for (uint i = chooser(); i < USED; i += SUBGROUP) {
    const float score = scores[chosen[i]];
    sum += SCORING == SOFTMAX_CHOSEN ? exp(score - most) : score;
  }
  sum = subgroupAdd(sum);
  for (uint i = chooser(); i < USED; i += SUBGROUP) {
    const uint id = chosen[i];
    float weight = SCORING == SOFTMAX_CHOSEN ? exp(scores[id] - most) / sum : scores[id];
    if (RENORMALIZE && SCORING != SOFTMAX_CHOSEN) weight = sum > 0.0 ? weight / sum : 0.0;
    if (present(push.expertScales)) weight *= push.expertScales.v[id];
    ids.v[i] = float(id);
    weights.v[i] = weight * push.weightScale;
  }
}

#endif
