// MXFP4 (formats/mxfp4.glsl).
#include "../include/weights.glsl"
#include "../include/group32.glsl"
#include "../include/fp4_codes.glsl"
const bool HAS_OFFSET = true;

struct Quants {
  uvec4 q;
  uint exponent;
};

Quants load_group(Weights w, uint group) {
  return Quants(load_uvec4(w.address + pieces(group)), load_u8(w.address + pieces(w.blocks) + group));
}

void unpack(Quants v, uint group, out uint q[8], out vec2 terms[1]) {
  // 2^(e - 128): for e = 0 a subnormal, which may count as 0.
  const float scale = uintBitsToFloat(max(v.exponent, 1) - 1 << 23);
  terms[0] = scale * vec2(1.0, -FP4_OFFSET);
  [[unroll]] for (int i = 0; i < 4; i++) {
    const uint corrections = fp4_corrections(v.q[i]);
    q[i] = (v.q[i] & 0x0f0f0f0fu) + (corrections & 0x0f0f0f0fu);
    q[4 + i] = (v.q[i] >> 4 & 0x0f0f0f0fu) + (corrections >> 4 & 0x0f0f0f0fu);
  }
}
