// Q5_0: 32 weights d (q - 16). Planes: qs 16 bytes (byte i holds the low bits of weights i and i + 16), qh 4 bytes
// (bit i is the fifth bit of weight i), d float16.
#include "../include/weights.glsl"
#define CHUNK 32

uint64_t plane_qh(Weights w) { return w.address + pieces(w.blocks); }
uint64_t plane_d(Weights w) { return w.address + pieces(w.blocks) + aligned16(bytes_of(w.blocks, 4)); }

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 qs = load_uvec4(w.address + pieces(chunk));
  const uint qh = load_uint(plane_qh(w) + bytes_of(chunk, 4));
  const float d = load_f16(plane_d(w) + bytes_of(chunk, 2));
  [[unroll]] for (int i = 0; i < 4; i++) {
    const uint low = qs[i] & 0x0f0f0f0fu | spread_fifth_bits(qh >> (4 * i));
    const uint high = qs[i] >> 4 & 0x0f0f0f0fu | spread_fifth_bits(qh >> (4 * i + 16));
    [[unroll]] for (int k = 0; k < 4; k++) {
      v[4 * i + k] = fma(d, byte_f32(low, k), -16.0 * d);
      v[16 + 4 * i + k] = fma(d, byte_f32(high, k), -16.0 * d);
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint block = element >> 5;
  const uint low = load_u8(w.address + pieces(block) + (element & 15)) >> ((element >> 4 & 1) * 4) & 15;
  const uint high = load_uint(plane_qh(w) + bytes_of(block, 4)) >> (element & 31) & 1;
  return load_f16(plane_d(w) + bytes_of(block, 2)) * (float(low | high << 4) - 16.0);
}
