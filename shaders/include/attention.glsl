// What the kernels of attention share: their push constants, which token and head a row is, what a token sees, and what
// becomes of a product of query and key before the softmax.
//
// A row is one token with one query head; the `heads / kvHeads` rows of a token that share a key head are neighbours.
// Workgroups count key heads in y. The including file declares the specialization constants CAUSAL, ENCODER (keys of an
// encoder, all visible), SOFTCAP, ALIBI, BIAS and TEMPERATURE.
#ifndef ATTENTION_GLSL
#define ATTENTION_GLSL

#include "activations.glsl"
#include "attention_temperature.glsl"
#include "buffers.glsl"
#include "shared_floats.glsl"
#include "step.glsl"
#include "tickets.glsl"

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats q;
  Floats y;
  SharedFloats parts; // [parts, tokens, heads, VALUE_DIM + 2]: weighted sum, peak, total
  Tickets tickets; // one per workgroup in x and y, 0 before and after
  uint64_t keys;
  uint64_t values;
  Floats slopes;
  Floats sinks;
  Floats bias;
  uint tokens;
  uint heads;
  uint qStride;
  uint yStride;
  uint window;
  uint chunk;
  uint biasColumns;
  float scale;
  float softcap;
  float temperatureScale;
  float temperatureInterval;
  float temperatureOffset;
} push;

const float LOWEST = -3.0e38; // below every score, and finite, so that differences are never NaN

uint group_size() { return push.heads / gl_NumWorkGroups.y; }
uint last_row() { return push.tokens * group_size() - 1; }
// Rows beyond the last repeat it.
uint token_of(uint row) { return min(row, last_row()) / group_size(); }
uint head_of(uint row) { return gl_WorkGroupID.y * group_size() + min(row, last_row()) % group_size(); }

// Cached positions [x, y) that a token sees.
uvec2 visible(uint token) {
  if (ENCODER) return uvec2(0, push.step.encoderLength);
  const uint position = push.step.position + min(token, push.step.tokenCount - 1); // later rows hold anything
  if (CAUSAL) {
    uint first = push.window > 0 ? position + 1 - min(push.window, position + 1) : 0;
    if (push.chunk > 0) first = max(first, position - position % push.chunk);
    return uvec2(first, position + 1);
  }
  const uint end = push.step.position + push.step.tokenCount;
  if (push.window == 0) return uvec2(0, end);
  const uint reach = push.window / 2;
  return uvec2(position - min(reach, position), min(end, position + reach + 1));
}

// Factor on the scores of a token.
float scale_of(uint token) {
  if (!TEMPERATURE) return push.scale;
  return push.scale * temperature_at(
    push.step.position + token, push.temperatureScale, push.temperatureInterval, push.temperatureOffset);
}

// The score of `row` at `position` from its scaled product; `slope` is its head's with ALIBI.
float score_of(float product, uint row, uint position, float slope) {
  float score = product;
  if (SOFTCAP) score = push.softcap * safe_tanh(score / push.softcap);
  const int distance = int(position) - int(push.step.position + token_of(row));
  if (ALIBI) score -= slope * float(abs(distance));
  if (BIAS) {
    const int reach = int(push.biasColumns - 1) / 2;
    score += push.bias.v[head_of(row) * push.biasColumns + uint(reach + clamp(distance, -reach, reach))];
  }
  return score;
}

#endif
