#version 460
// Chooses the experts of row r: workgroup r, one subgroup.
#extension GL_GOOGLE_include_directive : require
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

layout(push_constant, scalar) uniform Push {
  Floats logits; // [rows, EXPERTS]
  Floats ids; // [rows, USED]
  Floats weights; // [rows, USED]
  Floats selectionBias; // [EXPERTS], or none
  Floats expertScales; // [EXPERTS], or none
  uint logitsStride;
  uint idsStride;
  uint weightsStride;
  float weightScale;
} push;

float logit(uint expert) { return push.logits.v[gl_WorkGroupID.x * push.logitsStride + expert]; }

#include "include/choose_experts.glsl"

Floats row_of(Floats matrix, uint stride) { return Floats(uint64_t(matrix) + uint64_t(gl_WorkGroupID.x) * stride * 4); }

void main() { choose_experts(row_of(push.ids, push.idsStride), row_of(push.weights, push.weightsStride)); }
