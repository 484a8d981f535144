#version 460
// y = activation(gate) * up, element by element. Workgroup (i, r): elements from i * WORKGROUP on of row r.
#extension GL_GOOGLE_include_directive : require
#include "include/activations.glsl"
#include "include/buffers.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint ACTIVATION = 0;

layout(push_constant, scalar) uniform Push {
  Floats gate;
  Floats up;
  Floats y;
  uint width;
  uint gateStride;
  uint upStride;
  uint yStride;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (i >= push.width) return;
  const float gate = push.gate.v[row * push.gateStride + i];
  push.y.v[row * push.yStride + i] = activate(ACTIVATION, gate) * push.up.v[row * push.upStride + i];
}
