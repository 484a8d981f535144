// MXFP4: 32 four-bit floats (sign, 2 bits of exponent, 1 of mantissa) times 2^(e - 127). Planes: qs 16 bytes (byte i
// holds the codes of weights i and i + 16), e 1 byte.
#include "../include/weights.glsl"
#include "../include/fp4_codes.glsl"
#define CHUNK 32

// 2^(e - 128). What would be subnormal counts as 0, and what could become infinite (from 2^123 on) as less.
float scale_of(uint e) { return uintBitsToFloat(clamp(e, 1, 250) - 1 << 23); }

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 qs = load_uvec4(w.address + pieces(chunk));
  const float scale = scale_of(load_u8(w.address + pieces(w.blocks) + chunk));
  [[unroll]] for (int i = 0; i < 4; i++) {
    const uint corrections = fp4_corrections(qs[i]);
    const uint low = (qs[i] & 0x0f0f0f0fu) + (corrections & 0x0f0f0f0fu);
    const uint high = (qs[i] >> 4 & 0x0f0f0f0fu) + (corrections >> 4 & 0x0f0f0f0fu);
    [[unroll]] for (int k = 0; k < 4; k++) {
      v[4 * i + k] = fma(scale, byte_f32(low, k), -FP4_OFFSET * scale);
      v[16 + 4 * i + k] = fma(scale, byte_f32(high, k), -FP4_OFFSET * scale);
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint block = element >> 5;
  const uint code = load_u8(w.address + pieces(block) + (element & 15)) >> ((element >> 4 & 1) * 4) & 15;
  const float doubled = float(code + (fp4_corrections(code) & 15)) - FP4_OFFSET;
  return scale_of(load_u8(w.address + pieces(w.blocks) + block)) * doubled;
}
