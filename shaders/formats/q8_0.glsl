// Q8_0: 32 weights d q. Planes: qs 32 signed bytes, d float16. A chunk is one 16-byte load: half a block.
#include "../include/weights.glsl"
#define CHUNK 16

uint64_t plane_d(Weights w) { return w.address + bytes_of(w.blocks, 32); }

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 qs = load_uvec4(w.address + pieces(chunk));
  const float d = load_f16(plane_d(w) + bytes_of(chunk >> 1, 2));
  [[unroll]] for (int i = 0; i < 4; i++) {
    // With the sign bit flipped a byte is q + 128, and hardware converts unsigned bytes without an extra step.
    const uint biased = qs[i] ^ 0x80808080u;
    [[unroll]] for (int k = 0; k < 4; k++) v[4 * i + k] = fma(d, byte_f32(biased, k), -128.0 * d);
  }
}

float decode_one(Weights w, uint element) {
  const float q = signed_byte_f32(load_u8(w.address + element), 0);
  return load_f16(plane_d(w) + bytes_of(element >> 5, 2)) * q;
}
