// IQ4_XS: 256 weights in 8 sub-blocks of 32, d (scale - 32) level[q]. Planes: qs 16 bytes per sub-block (byte i holds
// weights i and i + 16); 8 bytes of float16 d, the two high bits of the scales, and their four low bits.
#include "../include/weights.glsl"
#include "../include/iq4_levels.glsl"
#define CHUNK 32

float scale_of(Weights w, uint chunk) {
  const uvec2 head = load_uvec2(w.address + bytes_of(w.blocks, 128) + bytes_of(chunk >> 3, 8));
  const uint low = head.y >> ((chunk & 7) * 4) & 15;
  const uint high = head.x >> (16 + (chunk & 7) * 2) & 3;
  return unpackHalf2x16(head.x).x * (float(low | high << 4) - 32.0);
}

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  decode_iq4(load_uvec4(w.address + pieces(chunk)), scale_of(w, chunk), v);
}

float decode_one(Weights w, uint element) {
  const uint chunk = element >> 5;
  const uint code = load_u8(w.address + pieces(chunk) + (element & 15)) >> ((element >> 4 & 1) * 4) & 15;
  return scale_of(w, chunk) * iq4_level(float(code));
}
