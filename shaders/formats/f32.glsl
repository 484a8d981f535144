// F32: IEEE 754 binary32. A chunk is one 16-byte load.
#include "../include/weights.glsl"
#define CHUNK 4

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 words = load_uvec4(w.address + pieces(chunk));
  [[unroll]] for (int i = 0; i < 4; i++) v[i] = uintBitsToFloat(words[i]);
}

float decode_one(Weights w, uint element) { return uintBitsToFloat(load_uint(w.address + bytes_of(element, 4))); }
