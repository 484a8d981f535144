// Q4_1: 32 weights d q + m. Planes: qs 16 bytes (byte i holds weights i and i + 16), dm two float16.
#include "../include/weights.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 qs = load_uvec4(w.address + pieces(chunk));
  const vec2 dm = unpackHalf2x16(load_uint(w.address + pieces(w.blocks) + bytes_of(chunk, 4)));
  [[unroll]] for (int i = 0; i < 4; i++) {
    const uint low = qs[i] & 0x0f0f0f0fu;
    const uint high = qs[i] >> 4 & 0x0f0f0f0fu;
    [[unroll]] for (int k = 0; k < 4; k++) {
      v[4 * i + k] = fma(dm.x, byte_f32(low, k), dm.y);
      v[16 + 4 * i + k] = fma(dm.x, byte_f32(high, k), dm.y);
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint block = element >> 5;
  const uint q = load_u8(w.address + pieces(block) + (element & 15)) >> ((element >> 4 & 1) * 4) & 15;
  const vec2 dm = unpackHalf2x16(load_uint(w.address + pieces(w.blocks) + bytes_of(block, 4)));
  return fma(dm.x, float(q), dm.y);
}
