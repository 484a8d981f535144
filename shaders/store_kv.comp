#version 460
// Appends keys and values to the cache. Workgroup (i, r, z): elements from i * WORKGROUP on of row r of k (z = 0) or v.
#extension GL_GOOGLE_include_directive : require
#include "include/step.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint KV_BYTES = 2;
#include "include/kv_cache.glsl"

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats k;
  Floats v;
  uint64_t keys;
  uint64_t values;
  uint keyWidth;
  uint valueWidth;
  uint kStride;
  uint vStride;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (row >= push.step.tokenCount) return;
  const uint64_t position = push.step.position + row;
  if (gl_WorkGroupID.z == 0) {
    if (i < push.keyWidth) store_kv(push.keys, position * push.keyWidth + i, push.k.v[row * push.kStride + i]);
  } else {
    if (i < push.valueWidth) store_kv(push.values, position * push.valueWidth + i, push.v.v[row * push.vStride + i]);
  }
}
