#version 460
// Appends keys and values to the cache. Workgroup (i, r, z): what its lanes store of row r of k (z = 0) or v, from lane i * WORKGROUP on. A
// lane stores one element, or a block where the type has blocks.
#extension GL_GOOGLE_include_directive : require
#include "include/step.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint KEY_TYPE = 1; // see kv_cache.glsl
layout(constant_id = 2) const uint VALUE_TYPE = 1;
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

void store_block(Floats x, uint start, uint64_t row, uint width, uint element) {
  vec4 values[KV_BLOCK / 4];
  float peak = 0.0;
  [[unroll]] for (uint i = 0; i < KV_BLOCK; i++) {
    values[i / 4][i % 4] = x.v[start + element + i];
    peak = max(peak, abs(values[i / 4][i % 4]));
  }
  [[unroll]] for (uint i = 0; i < KV_BLOCK / 4; i++) store_kv_q8_0(row, width, element + 4 * i, values[i], peak);
}

// What lane `i` of a row stores of `x`, which starts at element `start`.
void store(Floats x, uint start, uint64_t cache, uint type, uint width, uint i) {
  const uint64_t row = kv_row(cache, type, width, push.step.position + gl_WorkGroupID.y);
  if (type == KV_Q8_0) {
    if (KV_BLOCK * i < width) store_block(x, start, row, width, KV_BLOCK * i);
  } else {
    if (i < width) store_kv(row, type, i, x.v[start + i]);
  }
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (row >= push.step.tokenCount) return;
  if (gl_WorkGroupID.z == 0) store(push.k, row * push.kStride, push.keys, KEY_TYPE, push.keyWidth, i);
  else store(push.v, row * push.vStride, push.values, VALUE_TYPE, push.valueWidth, i);
}
