// MXFP4 (formats/mxfp4.glsl). Twice a four-bit float is an integer from -12 to 12; the quants are 12 more than that.
#include "../include/weights.glsl"
#include "../include/group32.glsl"
const bool HAS_OFFSET = true;

struct Quants {
  uvec4 q;
  uint exponent;
};

Quants load_group(Weights w, uint group) {
  return Quants(load_uvec4(w.address + pieces(group)), load_u8(w.address + pieces(w.blocks) + group));
}

// Four codes, one in each byte's low half, to 12 plus twice their values. Without its sign, code c stands for
// 0 1 2 3 4 6 8 12: c, and from 4 on also its lower two bits, and for 7 two more.
uint e2m1_bytes(uint codes) {
  const uint large = codes >> 2 & 0x01010101u;
  const uint lower = codes & large * 3;
  const uint seven = lower >> 1 & lower & 0x01010101u;
  const uint twice = (codes & 0x07070707u) + lower + 2 * seven;
  const uint negative = (codes >> 3 & 0x01010101u) * 255;
  return 0x0c0c0c0cu + (twice & ~negative) - (twice & negative);
}

void unpack(Quants v, uint group, out uint q[8], out vec2 terms[1]) {
  // 2^(e - 128): for e = 0 a subnormal, which may count as 0.
  const float scale = uintBitsToFloat(max(v.exponent, 1) - 1 << 23);
  terms[0] = scale * vec2(1.0, -12.0);
  [[unroll]] for (int i = 0; i < 4; i++) {
    q[i] = e2m1_bytes(v.q[i] & 0x0f0f0f0fu);
    q[4 + i] = e2m1_bytes(v.q[i] >> 4 & 0x0f0f0f0fu);
  }
}
