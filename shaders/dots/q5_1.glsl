// Q5_1 (formats/q5_1.glsl).
#include "../include/weights.glsl"
#include "../include/group32.glsl"
const bool HAS_OFFSET = true;

struct Quants {
  uvec4 q;
  uint high;
  uint dm;
};

Quants load_group(Weights w, uint group) {
  const uint64_t qh = w.address + pieces(w.blocks);
  const uint64_t dm = qh + aligned16(bytes_of(w.blocks, 4));
  return Quants(
    load_uvec4(w.address + pieces(group)), load_uint(qh + bytes_of(group, 4)), load_uint(dm + bytes_of(group, 4)));
}

void unpack(Quants v, uint group, out uint q[8], out vec2 terms[1]) {
  terms[0] = unpackHalf2x16(v.dm);
  [[unroll]] for (int i = 0; i < 4; i++) {
    q[i] = v.q[i] & 0x0f0f0f0fu | spread_fifth_bits(v.high >> (4 * i));
    q[4 + i] = v.q[i] >> 4 & 0x0f0f0f0fu | spread_fifth_bits(v.high >> (4 * i + 16));
  }
}
