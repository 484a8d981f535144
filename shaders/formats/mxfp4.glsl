// MXFP4: 32 four-bit floats (sign, 2 bits of exponent, 1 of mantissa) times 2^(e - 127). Planes: qs 16 bytes (byte i
// holds the codes of weights i and i + 16), e 1 byte.
#include "../include/weights.glsl"
#include "../include/fp4_codes.glsl"
#define CHUNK 32

// 2^(e - 128) 2^15. Above 240 it would not be finite; weights of that size (2^113) do not occur.
float scale_of(uint e) { return uintBitsToFloat((min(e, 240) + 14) << 23); }

// The scaled value of a code that has been corrected.
float value_of(float code, float scale) {
  const float unit = 1.0 / 32768.0;
  return fma(code, unit, -FP4_OFFSET * unit) * scale;
}

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 qs = load_uvec4(w.address + pieces(chunk));
  const float scale = scale_of(load_u8(w.address + pieces(w.blocks) + chunk));
  [[unroll]] for (int i = 0; i < 4; i++) {
    const uint corrections = fp4_corrections(qs[i]);
    const uint low = (qs[i] & 0x0f0f0f0fu) + (corrections & 0x0f0f0f0fu);
    const uint high = (qs[i] >> 4 & 0x0f0f0f0fu) + (corrections >> 4 & 0x0f0f0f0fu);
    [[unroll]] for (int k = 0; k < 4; k++) {
      v[4 * i + k] = value_of(byte_f32(low, k), scale);
      v[16 + 4 * i + k] = value_of(byte_f32(high, k), scale);
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint block = element >> 5;
  const uint code = load_u8(w.address + pieces(block) + (element & 15)) >> ((element >> 4 & 1) * 4) & 15;
  const float corrected = float(code + (fp4_corrections(code) & 15));
  return value_of(corrected, scale_of(load_u8(w.address + pieces(w.blocks) + block)));
}
