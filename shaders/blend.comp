#version 460
// y = a + t * (b - a), element by element. Workgroup (i, r): elements from i * WORKGROUP on of row r.
#extension GL_GOOGLE_include_directive : require
#include "include/buffers.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;

layout(push_constant, scalar) uniform Push {
  Floats a;
  Floats b;
  Floats t;
  Floats y;
  uint width;
  uint aStride;
  uint bStride;
  uint tStride;
  uint yStride;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (i >= push.width) return;
  const float a = push.a.v[row * push.aStride + i];
  const float b = push.b.v[row * push.bStride + i];
  push.y.v[row * push.yStride + i] = a + push.t.v[row * push.tStride + i] * (b - a);
}
