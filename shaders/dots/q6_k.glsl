// Q6_K (formats/q6_k.glsl) by halves of its half blocks: 16 weights of each of the four sub-blocks of 32, so that a lane
// needs no byte that another lane needs.
#include "../include/weights.glsl"
#define GROUP 64
#define PIECES 4
#define SUBS 4
#define WORDS 16
const bool HAS_OFFSET = true;

struct Quants {
  uvec4 q0; // low bits of sub-blocks 0 (low halves) and 2
  uvec4 q1; // of sub-blocks 1 and 3
  uvec4 high; // bit pair s belongs to sub-block s
  uint scales; // of this half of each sub-block
  uint d;
};

uvec2 place(uint piece) { return uvec2(piece >> 3 << 1 | piece & 1, piece >> 1 & 3); }

Quants load_group(Weights w, uint group) {
  const uint halfBlock = group >> 1;
  const uint64_t ql = w.address + bytes_of(halfBlock, 64) + (group & 1) * 16;
  const uint64_t qh = w.address + bytes_of(w.blocks, 128) + bytes_of(halfBlock, 32) + (group & 1) * 16;
  const uint64_t scales = w.address + bytes_of(w.blocks, 192) + bytes_of(group, 4);
  const uint64_t d = w.address + bytes_of(w.blocks, 208) + bytes_of(halfBlock >> 1, 2);
  return Quants(load_uvec4(ql), load_uvec4(ql + 32), load_uvec4(qh), load_uint(scales), load_u16(d));
}

void unpack(Quants v, uint group, out uint q[16], out vec2 terms[4]) {
  const float d = unpackHalf2x16(v.d).x;
  [[unroll]] for (int s = 0; s < 4; s++) {
    const float scale = d * signed_byte_f32(v.scales, s);
    terms[s] = vec2(scale, -32.0 * scale);
  }
  [[unroll]] for (int i = 0; i < 4; i++) {
    q[i] = v.q0[i] & 0x0f0f0f0fu | v.high[i] << 4 & 0x30303030u;
    q[4 + i] = v.q1[i] & 0x0f0f0f0fu | v.high[i] << 2 & 0x30303030u;
    q[8 + i] = v.q0[i] >> 4 & 0x0f0f0f0fu | v.high[i] & 0x30303030u;
    q[12 + i] = v.q1[i] >> 4 & 0x0f0f0f0fu | v.high[i] >> 2 & 0x30303030u;
  }
}
