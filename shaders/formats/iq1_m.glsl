// IQ1_M: 256 weights in 16 sub-blocks of 16. Planes: qs 4 bytes per 32 weights (the low 8 bits of an index per vector of
// 8), qh 2 bytes per 32 weights (per vector three high bits and the sign of the delta), scales 8 bytes: four 16-bit words
// of four 3-bit scales under four bits of the block's float16 d.
#include "../include/weights.glsl"
#include "../include/code_book.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint64_t book = w.address + bytes_of(w.blocks, 48) + aligned16(bytes_of(w.blocks, 8));
  const uint qs = load_uint(w.address + bytes_of(chunk, 4));
  const uint qh = load_u16(w.address + bytes_of(w.blocks, 32) + bytes_of(chunk, 2));
  const uvec2 words = load_uvec2(w.address + bytes_of(w.blocks, 48) + bytes_of(chunk >> 3, 8));
  const uint bits = words.x >> 12 & 0x000f | words.x >> 24 & 0x00f0 | words.y >> 4 & 0x0f00 | words.y >> 16 & 0xf000;
  const float d = unpackHalf2x16(bits).x;
  const uint sub = (chunk & 7) * 2; // of 16 weights; four share a word
  const uint scales = ((sub & 8) != 0 ? words.y : words.x) >> ((sub >> 2 & 1) * 16) >> ((sub & 3) * 3);
  [[unroll]] for (int group = 0; group < 4; group++) {
    const uint high = bitfieldExtract(qh, 4 * group, 4);
    const uint index = bitfieldExtract(qs, 8 * group, 8) | (high & 7) << 8;
    const float scale = d * float(2 * bitfieldExtract(scales, 3 * (group >> 1), 3) + 1);
    const float delta = (high & 8) != 0 ? -0.125 : 0.125;
    store_shifted(eight_levels(book, index), scale, delta, 8 * group, v);
  }
}

#include "../include/decode_one.glsl"
