// BF16: the upper half of a binary32. A chunk is one 16-byte load.
#include "../include/weights.glsl"
#define CHUNK 8

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 words = load_uvec4(w.address + pieces(chunk));
  [[unroll]] for (int i = 0; i < 4; i++) {
    v[2 * i] = uintBitsToFloat(words[i] << 16);
    v[2 * i + 1] = uintBitsToFloat(words[i] & 0xffff0000u);
  }
}

float decode_one(Weights w, uint element) {
  return uintBitsToFloat(load_u16(w.address + bytes_of(element, 2)) << 16);
}
