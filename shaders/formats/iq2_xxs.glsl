// IQ2_XXS: 256 weights in 8 sub-blocks of 32. Planes: qs 8 bytes per sub-block (four 8-bit indices; four 7-bit sign codes
// under a 4-bit scale), d float16.
#include "../include/weights.glsl"
#include "../include/code_book.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint64_t planeD = w.address + bytes_of(w.blocks, 64);
  const uint64_t book = planeD + aligned16(bytes_of(w.blocks, 2));
  const uvec2 qs = load_uvec2(w.address + bytes_of(chunk, 8));
  const float d = load_f16(planeD + bytes_of(chunk >> 3, 2));
  const float scale = d * (0.5 + float(qs.y >> 28)) * 0.25;
  [[unroll]] for (int group = 0; group < 4; group++) {
    const uvec2 levels = eight_levels(book, bitfieldExtract(qs.x, 8 * group, 8));
    store_signed(levels, scale, signs_of_code(bitfieldExtract(qs.y, 7 * group, 7)), 8 * group, v);
  }
}

#include "../include/decode_one.glsl"
