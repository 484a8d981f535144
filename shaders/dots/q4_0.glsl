// Q4_0 (formats/q4_0.glsl).
#include "../include/weights.glsl"
#include "../include/group32.glsl"
const bool HAS_OFFSET = true;

struct Quants {
  uvec4 q;
  uint d;
};

Quants load_group(Weights w, uint group) {
  return Quants(load_uvec4(w.address + pieces(group)), load_u16(w.address + pieces(w.blocks) + bytes_of(group, 2)));
}

void unpack(Quants v, uint group, out uint q[8], out vec2 terms[1]) {
  terms[0] = unpackHalf2x16(v.d).x * vec2(1.0, -8.0);
  [[unroll]] for (int i = 0; i < 4; i++) {
    q[i] = v.q[i] & 0x0f0f0f0fu;
    q[4 + i] = v.q[i] >> 4 & 0x0f0f0f0fu;
  }
}
