// Q4_K: 256 weights in 8 sub-blocks of 32, d scale q - dmin min. One plane of 144-byte blocks: 16 bytes of scales, then
// 32 bytes for each pair of sub-blocks, the first in the low halves.
#include "../include/weights.glsl"
#include "../include/scales_k4.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint sub = chunk & 7;
  const uint64_t block = w.address + bytes_of(chunk >> 3, 144);
  const vec2 dm = scale_and_minimum(load_uvec4(block), sub);
  const uint64_t qs = block + 16 + (sub >> 1) * 32;
  const uint shift = (sub & 1) * 4;
  [[unroll]] for (int part = 0; part < 2; part++) {
    const uvec4 words = load_uvec4(qs + 16 * part) >> shift & 0x0f0f0f0fu;
    [[unroll]] for (int i = 0; i < 4; i++) {
      [[unroll]] for (int k = 0; k < 4; k++) v[16 * part + 4 * i + k] = fma(dm.x, byte_f32(words[i], k), -dm.y);
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint sub = element >> 5 & 7;
  const uint64_t block = w.address + bytes_of(element >> 8, 144);
  const vec2 dm = scale_and_minimum(load_uvec4(block), sub);
  const uint q = load_u8(block + 16 + (sub >> 1) * 32 + (element & 31)) >> ((sub & 1) * 4) & 15;
  return fma(dm.x, float(q), -dm.y);
}
