// Q5_K (formats/q5_k.glsl) by pairs of sub-blocks, which share their 32 bytes of low bits.
#include "../include/weights.glsl"
#include "../include/scale_pairs_k4.glsl"
#define GROUP 64
#define PIECES 4
#define SUBS 2
#define WORDS 16
const bool HAS_OFFSET = true;

struct Quants {
  uvec4 head;
  uvec2 fifths; // of each sub-block
  uvec4 q0;
  uvec4 q1;
};

uvec2 place(uint piece) { return uvec2(piece >> 2, piece & 3); }

Quants load_group(Weights w, uint group) {
  const uint64_t block = w.address + bytes_of(group >> 2, 176);
  const uint64_t qs = block + 48 + (group & 3) * 32;
  return Quants(load_uvec4(block), load_uvec2(block + 16 + (group & 3) * 8), load_uvec4(qs), load_uvec4(qs + 16));
}

void unpack(Quants v, uint group, out uint q[16], out vec2 terms[2]) {
  scale_pair(v.head, group & 3, terms);
  [[unroll]] for (int i = 0; i < 4; i++) {
    q[i] = v.q0[i] & 0x0f0f0f0fu | v.fifths.x << (4 - i) & 0x10101010u;
    q[4 + i] = v.q1[i] & 0x0f0f0f0fu | v.fifths.x >> i & 0x10101010u;
    q[8 + i] = v.q0[i] >> 4 & 0x0f0f0f0fu | v.fifths.y << (4 - i) & 0x10101010u;
    q[12 + i] = v.q1[i] >> 4 & 0x0f0f0f0fu | v.fifths.y >> i & 0x10101010u;
  }
}
