// F16: IEEE 754 binary16. A chunk is one 16-byte load.
#include "../include/weights.glsl"
#define CHUNK 8

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec4 words = load_uvec4(w.address + pieces(chunk));
  [[unroll]] for (int i = 0; i < 4; i++) {
    const vec2 pair = unpackHalf2x16(words[i]);
    v[2 * i] = pair.x;
    v[2 * i + 1] = pair.y;
  }
}

float decode_one(Weights w, uint element) { return load_f16(w.address + bytes_of(element, 2)); }
