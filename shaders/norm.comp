#version 460
// y = normalise(x) * weight + bias, each group of a row on its own. Team g of the grid's x axis takes group g of row y.
#extension GL_GOOGLE_include_directive : require
#include "include/buffers.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint TEAM = 64;
layout(constant_id = 3) const uint KIND = 0;
#include "include/teams.glsl"

const uint RMS = 0;
const uint LAYER = 1;
const uint L2 = 2;

layout(push_constant, scalar) uniform Push {
  Floats x;
  Floats y;
  Floats weight;
  Floats bias;
  uint groups; // per row
  uint groupWidth;
  uint xStride;
  uint yStride;
  uint weightLength; // groupWidth or the row's width
  uint biasLength;
  float epsilon;
} push;

void main() {
  const uint lane = lane_index() % TEAM;
  const uint team = gl_WorkGroupID.x * TEAMS + lane_index() / TEAM;
  const uint group = min(team, push.groups - 1); // spare teams repeat the last group, so that all take part in the sums
  const uint start = group * push.groupWidth;
  const uint x = gl_WorkGroupID.y * push.xStride + start;
  float mean = 0.0;
  if (KIND == LAYER) {
    for (uint i = lane; i < push.groupWidth; i += TEAM) mean += push.x.v[x + i];
    mean = team_sum(mean) / float(push.groupWidth);
  }
  float squares = 0.0;
  for (uint i = lane; i < push.groupWidth; i += TEAM) {
    const float value = push.x.v[x + i] - mean;
    squares += value * value;
  }
  squares = team_sum(squares);
  const float factor = KIND == L2
    ? 1.0 / max(sqrt(squares), push.epsilon)
    : inversesqrt(squares / float(push.groupWidth) + push.epsilon);
  if (team >= push.groups) return;
  const uint y = gl_WorkGroupID.y * push.yStride + start;
  for (uint i = lane; i < push.groupWidth; i += TEAM) {
    float value = (push.x.v[x + i] - mean) * factor;
    if (present(push.weight)) value *= push.weight.v[(start + i) % push.weightLength];
    if (present(push.bias)) value += push.bias.v[(start + i) % push.biasLength];
    push.y.v[y + i] = value;
  }
}
