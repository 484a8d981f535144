// IQ2_S: 256 weights in 16 sub-blocks of 16. Planes: qs 64 bytes (32 bytes of index, 32 of plain sign bits, one of each per
// vector of 8), scales 16 bytes (8 bytes with the two high bits of the indices, 8 bytes of 4-bit scales), d float16.
#include "../include/weights.glsl"
#include "../include/code_book.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint64_t book = w.address + bytes_of(w.blocks, 80) + aligned16(bytes_of(w.blocks, 2));
  const uint block = chunk >> 3;
  const uint64_t qs = w.address + bytes_of(block, 64) + (chunk & 7) * 4;
  const uint64_t head = w.address + bytes_of(w.blocks, 64) + bytes_of(block, 16) + (chunk & 7);
  const uint low = load_uint(qs);
  const uint signs = load_uint(qs + 32);
  const uint high = load_u8(head);
  const uint scales = load_u8(head + 8);
  const float d = load_f16(w.address + bytes_of(w.blocks, 80) + bytes_of(block, 2));
  [[unroll]] for (int group = 0; group < 4; group++) {
    const uint index = bitfieldExtract(low, 8 * group, 8) | bitfieldExtract(high, 2 * group, 2) << 8;
    const float scale = d * (0.5 + float(bitfieldExtract(scales, 4 * (group >> 1), 4))) * 0.25;
    store_signed(eight_levels(book, index), scale, signs >> (8 * group), 8 * group, v);
  }
}

#include "../include/decode_one.glsl"
