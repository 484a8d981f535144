// Q1_0: 128 weights, d where the bit is set, else -d. Planes: qs 16 bytes, d float16.
#include "../include/weights.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint bits = load_uint(w.address + bytes_of(chunk, 4));
  const float d = load_f16(w.address + pieces(w.blocks) + bytes_of(chunk >> 2, 2));
  [[unroll]] for (int i = 0; i < CHUNK; i++) v[i] = (bits >> i & 1) != 0 ? d : -d;
}

#include "../include/decode_one.glsl"
