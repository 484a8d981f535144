// IQ4_NL: 32 weights d level[q]. Planes: qs 16 bytes (byte i holds weights i and i + 16), d float16.
#include "../include/weights.glsl"
#include "../include/iq4_levels.glsl"
#define CHUNK 32

float scale_of(Weights w, uint block) { return load_f16(w.address + pieces(w.blocks) + bytes_of(block, 2)); }

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  decode_iq4(load_uvec4(w.address + pieces(chunk)), scale_of(w, chunk), v);
}

float decode_one(Weights w, uint element) {
  const uint block = element >> 5;
  const uint code = load_u8(w.address + pieces(block) + (element & 15)) >> ((element >> 4 & 1) * 4) & 15;
  return scale_of(w, block) * iq4_level(float(code));
}
