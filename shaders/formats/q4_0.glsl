// Q4_0: 32 weights d (q - 8). Planes: qs 16 bytes (byte i holds weights i and i + 16), d float16.
#include "../include/weights.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 qs = load_uvec4(w.address + pieces(chunk));
  const float d = load_f16(w.address + pieces(w.blocks) + bytes_of(chunk, 2));
  [[unroll]] for (int i = 0; i < 4; i++) {
    const uint low = qs[i] & 0x0f0f0f0fu;
    const uint high = qs[i] >> 4 & 0x0f0f0f0fu;
    [[unroll]] for (int k = 0; k < 4; k++) {
      v[4 * i + k] = fma(d, byte_f32(low, k), -8.0 * d);
      v[16 + 4 * i + k] = fma(d, byte_f32(high, k), -8.0 * d);
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint block = element >> 5;
  const uint q = load_u8(w.address + pieces(block) + (element & 15)) >> ((element >> 4 & 1) * 4) & 15;
  const float d = load_f16(w.address + pieces(w.blocks) + bytes_of(block, 2));
  return d * (float(q) - 8.0);
}
