// Q5_K: as Q4_K with a fifth bit. One plane of 176-byte blocks: 16 bytes of scales, a word of fifth bits for each sub-block
// (bit i of byte k belongs to weight 4 i + k), then 32 bytes for each pair of sub-blocks, the first in the low halves.
#include "../include/weights.glsl"
#include "../include/scales_k4.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint sub = chunk & 7;
  const uint64_t block = w.address + bytes_of(chunk >> 3, 176);
  const vec2 dm = scale_and_minimum(load_uvec4(block), sub);
  const uint64_t qs = block + 48 + (sub >> 1) * 32;
  const uint shift = (sub & 1) * 4;
  const uint fifths = load_uint(block + 16 + 4 * sub);
  [[unroll]] for (int part = 0; part < 2; part++) {
    const uvec4 high = (uvec4(fifths) >> uvec4(0, 1, 2, 3) + 4 * part & 0x01010101u) << 4;
    const uvec4 words = load_uvec4(qs + 16 * part) >> shift & 0x0f0f0f0fu | high;
    [[unroll]] for (int i = 0; i < 4; i++) {
      [[unroll]] for (int k = 0; k < 4; k++) v[16 * part + 4 * i + k] = fma(dm.x, byte_f32(words[i], k), -dm.y);
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint sub = element >> 5 & 7;
  const uint i = element & 31;
  const uint64_t block = w.address + bytes_of(element >> 8, 176);
  const vec2 dm = scale_and_minimum(load_uvec4(block), sub);
  const uint low = load_u8(block + 48 + (sub >> 1) * 32 + i) >> ((sub & 1) * 4) & 15;
  const uint high = load_u8(block + 16 + 4 * sub + (i & 3)) >> (i >> 2) & 1;
  return fma(dm.x, float(low | high << 4), -dm.y);
}
