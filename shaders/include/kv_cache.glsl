// Elements of a KV cache, float16 or float32 by the specialization constant KV_BYTES (2 or 4).
#ifndef KV_CACHE_GLSL
#define KV_CACHE_GLSL

#include "buffers.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer SixteenBytes { uvec4 value; };

uint64_t kv_address(uint64_t cache, uint64_t element) { return cache + element * KV_BYTES; }

void store_kv(uint64_t cache, uint64_t element, float value) {
  if (KV_BYTES == 2) Halfs(kv_address(cache, element)).v[0] = to_f16(value);
  else Floats(kv_address(cache, element)).v[0] = value;
}

float load_kv(uint64_t cache, uint64_t element) {
  if (KV_BYTES == 2) return float(Halfs(kv_address(cache, element)).v[0]);
  return Floats(kv_address(cache, element)).v[0];
}

#endif
