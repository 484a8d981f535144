// Q2_0: 64 weights d (q - 1), four consecutive ones a byte. Planes: qs 16 bytes, d float16.
#include "../include/weights.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uvec2 qs = load_uvec2(w.address + bytes_of(chunk, 8));
  const float d = load_f16(w.address + pieces(w.blocks) + bytes_of(chunk >> 1, 2));
  [[unroll]] for (int i = 0; i < CHUNK; i++) {
    v[i] = fma(d, float(bitfieldExtract(qs[i >> 4], 2 * (i & 15), 2)), -d);
  }
}

#include "../include/decode_one.glsl"
