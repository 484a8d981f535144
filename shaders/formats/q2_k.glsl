// Q2_K: 256 weights in 16 sub-blocks of 16, d scale q - dmin min. Planes: qs 64 bytes, scales 16 bytes (scale in the low
// half, minimum in the high), dm two float16. Each half of the block (128 weights, four groups of 32) has 32 bytes of
// qs; group g is bit pair g.
#include "../include/weights.glsl"
#define CHUNK 32

uint64_t plane_scales(Weights w) { return w.address + bytes_of(w.blocks, 64); }
uint64_t plane_dm(Weights w) { return w.address + bytes_of(w.blocks, 80); }

// Scale and minimum of a sub-block, multiplied by d and dmin.
vec2 scale_and_minimum(uint packed, vec2 dm) { return dm * vec2(packed & 15, packed >> 4 & 15); }

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint64_t qs = w.address + bytes_of(chunk >> 2, 32);
  const uint scales = load_u16(plane_scales(w) + bytes_of(chunk, 2));
  const vec2 dm = unpackHalf2x16(load_uint(plane_dm(w) + bytes_of(chunk >> 3, 4)));
  [[unroll]] for (int part = 0; part < 2; part++) {
    const uvec4 words = load_uvec4(qs + 16 * part) >> ((chunk & 3) * 2) & 0x03030303u;
    const vec2 scale = scale_and_minimum(scales >> (8 * part), dm);
    [[unroll]] for (int i = 0; i < 4; i++) {
      [[unroll]] for (int k = 0; k < 4; k++) v[16 * part + 4 * i + k] = fma(scale.x, byte_f32(words[i], k), -scale.y);
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint q = load_u8(w.address + bytes_of(element >> 7, 32) + (element & 31)) >> ((element >> 5 & 3) * 2) & 3;
  const vec2 dm = unpackHalf2x16(load_uint(plane_dm(w) + bytes_of(element >> 8, 4)));
  const vec2 scale = scale_and_minimum(load_u8(plane_scales(w) + (element >> 4)), dm);
  return fma(scale.x, float(q), -scale.y);
}
