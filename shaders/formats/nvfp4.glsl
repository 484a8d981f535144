// NVFP4: 64 four-bit floats in four groups of 16, each with an unsigned E4M3 scale. Planes: qs 8 bytes per group (byte i
// holds weights i and i + 8), d 4 scale bytes.
#include "../include/weights.glsl"
#include "../include/e2m1.glsl"
#define CHUNK 32

// 2^14 times a scale. Four bits of exponent and three of mantissa, shifted up by 7, are a float16 whose exponent counts
// from 15 instead of 7: 2^-8 times the scale. The code of NaN counts as 0.
float scale_of(uint e4m3) {
  return e4m3 == 0x7f ? 0.0 : unpackHalf2x16((e4m3 & 0x7f) << 7).x * 4194304.0; // 2^22
}

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 qs = load_uvec4(w.address + pieces(chunk));
  const uint scales = load_u16(w.address + bytes_of(w.blocks, 32) + bytes_of(chunk, 2));
  [[unroll]] for (int group = 0; group < 2; group++) {
    const float scale = scale_of(bitfieldExtract(scales, 8 * group, 8));
    [[unroll]] for (int i = 0; i < 2; i++) {
      [[unroll]] for (int k = 0; k < 2; k++) {
        const vec2 low = two_codes(qs[2 * group + i] >> (8 * k)) * scale;
        const vec2 high = two_codes(qs[2 * group + i] >> (8 * k + 4)) * scale;
        v[16 * group + 4 * i + k] = low.x;
        v[16 * group + 4 * i + k + 2] = low.y;
        v[16 * group + 8 + 4 * i + k] = high.x;
        v[16 * group + 8 + 4 * i + k + 2] = high.y;
      }
    }
  }
}

#include "../include/decode_one.glsl"
