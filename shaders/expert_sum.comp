#version 460
// y[r] = residual[r] + scale * sum over slots of factor[r, slot] * x[r, slot]: the end of a grouped product with chosen experts.
// Workgroup (i, r): elements from i * WORKGROUP on of row r.
#extension GL_GOOGLE_include_directive : require
#include "include/buffers.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;

layout(push_constant, scalar) uniform Push {
  Floats x; // [rows, slots * width]
  Floats factors; // [rows, slots], or none
  Floats residual; // [rows, width], or none
  Floats y;
  uint width;
  uint slots;
  uint factorsStride;
  uint residualStride;
  uint yStride;
  float scale;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (i >= push.width) return;
  float sum = 0.0;
  for (uint slot = 0; slot < push.slots; slot++) {
    const float factor = present(push.factors) ? push.factors.v[row * push.factorsStride + slot] : 1.0;
    sum += factor * push.x.v[(row * push.slots + slot) * push.width + i];
  }
  const float residual = present(push.residual) ? push.residual.v[row * push.residualStride + i] : 0.0;
  push.y.v[row * push.yStride + i] = residual + push.scale * sum;
}
