// IQ3_XXS: 256 weights in 8 sub-blocks of 32. Planes: qs 8 bytes per sub-block (an 8-bit index per vector of 4), signs 4
// bytes per sub-block (four 7-bit sign codes under a 4-bit scale), d float16.
#include "../include/weights.glsl"
#include "../include/code_book.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint64_t book = w.address + bytes_of(w.blocks, 96) + aligned16(bytes_of(w.blocks, 2));
  const uvec2 qs = load_uvec2(w.address + bytes_of(chunk, 8));
  const uint codes = load_uint(w.address + bytes_of(w.blocks, 64) + bytes_of(chunk, 4));
  const float d = load_f16(w.address + bytes_of(w.blocks, 96) + bytes_of(chunk >> 3, 2));
  const float scale = d * (0.5 + float(codes >> 28)) * 0.5;
  [[unroll]] for (int i = 0; i < 8; i++) {
    const uint levels = four_levels(book, bitfieldExtract(qs[i >> 2], 8 * (i & 3), 8));
    const uint signs = signs_of_code(bitfieldExtract(codes, 7 * (i >> 1), 7)) >> (4 * (i & 1));
    store_signed(levels, scale, signs, 4 * i, v);
  }
}

#include "../include/decode_one.glsl"
