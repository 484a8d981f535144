// IQ1_S: 256 weights in 8 sub-blocks of 32. Planes: qs 4 bytes per sub-block (the low 8 bits of an index per vector of 8),
// qh 2 bytes per sub-block (four times three high bits, a 3-bit scale, the sign of the delta), d float16.
#include "../include/weights.glsl"
#include "../include/code_book.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint64_t book = w.address + bytes_of(w.blocks, 48) + aligned16(bytes_of(w.blocks, 2));
  const uint qs = load_uint(w.address + bytes_of(chunk, 4));
  const uint qh = load_u16(w.address + bytes_of(w.blocks, 32) + bytes_of(chunk, 2));
  const float d = load_f16(w.address + bytes_of(w.blocks, 48) + bytes_of(chunk >> 3, 2));
  const float scale = d * float(2 * (qh >> 12 & 7) + 1);
  const float delta = (qh & 0x8000) != 0 ? -0.125 : 0.125;
  [[unroll]] for (int group = 0; group < 4; group++) {
    const uint index = bitfieldExtract(qs, 8 * group, 8) | bitfieldExtract(qh, 3 * group, 3) << 8;
    store_shifted(eight_levels(book, index), scale, delta, 8 * group, v);
  }
}

#include "../include/decode_one.glsl"
