// IQ2_XS: 256 weights in 16 sub-blocks of 16. Planes: qs 2 bytes per vector of 8 (9 bits of index, 7 of sign code),
// scales 8 bytes (4 bits per sub-block), d float16.
#include "../include/weights.glsl"
#include "../include/code_book.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint64_t planeScales = w.address + bytes_of(w.blocks, 64);
  const uint64_t planeD = planeScales + aligned16(bytes_of(w.blocks, 8));
  const uint64_t book = planeD + aligned16(bytes_of(w.blocks, 2));
  const uvec2 qs = load_uvec2(w.address + bytes_of(chunk, 8));
  const uint scales = load_u8(planeScales + chunk);
  const float d = load_f16(planeD + bytes_of(chunk >> 3, 2));
  [[unroll]] for (int group = 0; group < 4; group++) {
    const uint q = bitfieldExtract(qs[group >> 1], 16 * (group & 1), 16);
    const float scale = d * (0.5 + float(bitfieldExtract(scales, 4 * (group >> 1), 4))) * 0.25;
    store_signed(eight_levels(book, q & 511), scale, signs_of_code(q >> 9), 8 * group, v);
  }
}

#include "../include/decode_one.glsl"
