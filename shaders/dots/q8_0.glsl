// Q8_0 (formats/q8_0.glsl).
#include "../include/weights.glsl"
#include "../include/group32.glsl"
const bool HAS_OFFSET = false;

struct Quants {
  uvec4 q0;
  uvec4 q1;
  uint d;
};

Quants load_group(Weights w, uint group) {
  const uint64_t qs = w.address + bytes_of(group, 32);
  const uint64_t d = w.address + bytes_of(w.blocks, 32) + bytes_of(group, 2);
  return Quants(load_uvec4(qs), load_uvec4(qs + 16), load_u16(d));
}

void unpack(Quants v, uint group, out uint q[8], out vec2 terms[1]) {
  terms[0] = vec2(unpackHalf2x16(v.d).x, 0.0);
  [[unroll]] for (int i = 0; i < 4; i++) {
    q[i] = v.q0[i];
    q[4 + i] = v.q1[i];
  }
}
