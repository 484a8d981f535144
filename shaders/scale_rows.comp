#version 460
// y[r] = activation(factor[r]) * x[r]. Workgroup (i, r): elements from i * WORKGROUP on of row r.
#extension GL_GOOGLE_include_directive : require
#include "include/activations.glsl"
#include "include/buffers.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint ACTIVATION = 0;

layout(push_constant, scalar) uniform Push {
  Floats x;
  Floats factor;
  Floats y;
  uint width;
  uint xStride;
  uint factorStride;
  uint yStride;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (i >= push.width) return;
  const float factor = activate(ACTIVATION, push.factor.v[row * push.factorStride]);
  push.y.v[row * push.yStride + i] = factor * push.x.v[row * push.xStride + i];
}
