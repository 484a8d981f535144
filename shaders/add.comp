#version 460
// y = a + scale * b, element by element. Workgroup (i, r): elements from i * WORKGROUP on of row r.
#extension GL_GOOGLE_include_directive : require
#include "include/buffers.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;

layout(push_constant, scalar) uniform Push {
  Floats a;
  Floats b;
  Floats y;
  uint width;
  uint aStride;
  uint bStride;
  uint yStride;
  float scale;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (i >= push.width) return;
  push.y.v[row * push.yStride + i] = push.a.v[row * push.aStride + i] + push.scale * push.b.v[row * push.bStride + i];
}
