#version 460
// Rotates pairs of elements of each head. A head has `rotaryDim / 2` pairs and `headDim - rotaryDim` elements that are
// copied; invocation i of row r handles pair or element i % items of head i / items.
#extension GL_GOOGLE_include_directive : require
#include "include/buffers.glsl"
#include "include/step.glsl"
#include "include/trig.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const bool ADJACENT = false; // pairs (2i, 2i + 1), otherwise (i, i + rotaryDim / 2)

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats x;
  Floats y;
  Floats frequencies;
  uint heads;
  uint headDim;
  uint rotaryOffset;
  uint rotaryDim;
  uint xStride;
  uint yStride;
  float magnitude;
} push;

void main() {
  const uint pairs = push.rotaryDim / 2;
  const uint items = push.headDim - pairs;
  const uint head = gl_GlobalInvocationID.x / items;
  const uint item = gl_GlobalInvocationID.x % items;
  const uint row = gl_WorkGroupID.y;
  if (head >= push.heads) return;
  const uint x = row * push.xStride + head * push.headDim;
  const uint y = row * push.yStride + head * push.headDim;
  if (item >= pairs) {
    uint i = item - pairs;
    if (i >= push.rotaryOffset) i += push.rotaryDim;
    push.y.v[y + i] = push.x.v[x + i];
    return;
  }
  const uint i = push.rotaryOffset + (ADJACENT ? 2 * item : item);
  const uint j = i + (ADJACENT ? 1 : pairs);
  const float angle = float(push.step.position + row) * push.frequencies.v[item];
  const vec2 rotation = cos_sin(angle) * push.magnitude;
  const float a = push.x.v[x + i];
  const float b = push.x.v[x + j];
  push.y.v[y + i] = a * rotation.x - b * rotation.y;
  push.y.v[y + j] = a * rotation.y + b * rotation.x;
}
