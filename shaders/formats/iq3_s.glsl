// IQ3_S: 256 weights in 8 sub-blocks of 32. Planes: qs 8 bytes per sub-block (the low 8 bits of an index per vector of 4),
// qh 1 byte per sub-block (their ninth bits), signs 4 bytes per sub-block, scales 4 bytes (4 bits per sub-block),
// d float16.
#include "../include/weights.glsl"
#include "../include/code_book.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint64_t planeQh = w.address + bytes_of(w.blocks, 64);
  const uint64_t planeSigns = planeQh + aligned16(bytes_of(w.blocks, 8));
  const uint64_t planeScales = planeSigns + bytes_of(w.blocks, 32);
  const uint64_t planeD = planeScales + aligned16(bytes_of(w.blocks, 4));
  const uint64_t book = planeD + aligned16(bytes_of(w.blocks, 2));
  const uvec2 qs = load_uvec2(w.address + bytes_of(chunk, 8));
  const uint qh = load_u8(planeQh + chunk);
  const uint signs = load_uint(planeSigns + bytes_of(chunk, 4));
  const float scale = load_f16(planeD + bytes_of(chunk >> 3, 2)) * (1.0 + 2.0 * float(load_nibble(planeScales, chunk)));
  [[unroll]] for (int i = 0; i < 8; i++) {
    const uint index = bitfieldExtract(qs[i >> 2], 8 * (i & 3), 8) | bitfieldExtract(qh, i, 1) << 8;
    store_signed(four_levels(book, index), scale, signs >> (4 * i), 4 * i, v);
  }
}

#include "../include/decode_one.glsl"
