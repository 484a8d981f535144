// MXFP4: 32 four-bit floats (sign, 2 bits of exponent, 1 of mantissa) times 2^(e - 127). Planes: qs 16 bytes (byte i
// holds weights i and i + 16), e 1 byte.
#include "../include/weights.glsl"
#include "../include/e2m1.glsl"
#define CHUNK 32

// 2^(e - 127) 2^14. Above 240 it would not be finite; weights of that size (2^113) do not occur.
float scale_of(uint e) { return uintBitsToFloat((min(e, 240) + 14) << 23); }

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 qs = load_uvec4(w.address + pieces(chunk));
  const float scale = scale_of(load_u8(w.address + pieces(w.blocks) + chunk));
  [[unroll]] for (int i = 0; i < 4; i++) {
    [[unroll]] for (int k = 0; k < 2; k++) {
      const vec2 low = two_codes(qs[i] >> (8 * k)) * scale;
      const vec2 high = two_codes(qs[i] >> (8 * k + 4)) * scale;
      v[4 * i + k] = low.x;
      v[4 * i + k + 2] = low.y;
      v[16 + 4 * i + k] = high.x;
      v[16 + 4 * i + k + 2] = high.y;
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint block = element >> 5;
  const uint code = load_u8(w.address + pieces(block) + (element & 15)) >> ((element >> 4 & 1) * 4) & 15;
  return two_codes(code).x * scale_of(load_u8(w.address + pieces(w.blocks) + block));
}
