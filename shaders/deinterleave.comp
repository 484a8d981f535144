#version 460
// Separates the two parts of every head. Workgroup (i, r): elements from i * WORKGROUP on of row r.
#extension GL_GOOGLE_include_directive : require
#include "include/buffers.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;

layout(push_constant, scalar) uniform Push {
  Floats x;
  Floats first;
  Floats second;
  uint width; // of x
  uint firstDim; // of a head
  uint secondDim;
  uint xStride;
  uint firstStride;
  uint secondStride;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (i >= push.width) return;
  const uint head = i / (push.firstDim + push.secondDim);
  const uint at = i % (push.firstDim + push.secondDim);
  const float value = push.x.v[row * push.xStride + i];
  if (at < push.firstDim) push.first.v[row * push.firstStride + head * push.firstDim + at] = value;
  else push.second.v[row * push.secondStride + head * push.secondDim + at - push.firstDim] = value;
}
