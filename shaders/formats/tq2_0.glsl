// TQ2_0: 256 weights d (q - 1). Planes: qs 64 bytes (each half of the block has 32 bytes; group g of its four groups of 32
// weights is bit pair g), d float16.
#include "../include/weights.glsl"
#define CHUNK 32

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint64_t qs = w.address + bytes_of(chunk >> 2, 32);
  const float d = load_f16(w.address + bytes_of(w.blocks, 64) + bytes_of(chunk >> 3, 2));
  [[unroll]] for (int part = 0; part < 2; part++) {
    const uvec4 words = load_uvec4(qs + 16 * part) >> ((chunk & 3) * 2) & 0x03030303u;
    [[unroll]] for (int i = 0; i < 4; i++) {
      [[unroll]] for (int k = 0; k < 4; k++) v[16 * part + 4 * i + k] = fma(d, byte_f32(words[i], k), -d);
    }
  }
}

#include "../include/decode_one.glsl"
