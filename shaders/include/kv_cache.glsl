// Elements of a KV cache, float16 or float32. The including file declares the specialization constant KV_BYTES (2 or 4).
#ifndef KV_CACHE_GLSL
#define KV_CACHE_GLSL

#include "buffers.glsl"

uint64_t kv_address(uint64_t cache, uint64_t element) { return cache + element * KV_BYTES; }

void store_kv(uint64_t cache, uint64_t element, float value) {
  if (KV_BYTES == 2) Halfs(kv_address(cache, element)).v[0] = to_f16(value);
  else Floats(kv_address(cache, element)).v[0] = value;
}

float load_kv(uint64_t cache, uint64_t element) {
  if (KV_BYTES == 2) return float(Halfs(kv_address(cache, element)).v[0]);
  return Floats(kv_address(cache, element)).v[0];
}

// Eight elements from `element` on, which is a multiple of 8.
void load_kv8(uint64_t cache, uint64_t element, out vec4 v[2]) {
  const uint64_t address = kv_address(cache, element);
  if (KV_BYTES == 2) {
    const uvec4 words = load_16_bytes(address);
    v[0] = vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y));
    v[1] = vec4(unpackHalf2x16(words.z), unpackHalf2x16(words.w));
  } else {
    v[0] = uintBitsToFloat(load_16_bytes(address));
    v[1] = uintBitsToFloat(load_16_bytes(address + 16));
  }
}

// As load_kv8 at any element; elements from `count` on are 0.
void load_kv_part(uint64_t cache, uint64_t element, uint count, out vec4 v[2]) {
  [[unroll]] for (uint i = 0; i < 8; i++) v[i / 4][i % 4] = i < count ? load_kv(cache, element + i) : 0.0;
}

#endif
