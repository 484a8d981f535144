// Q3_K: 256 weights in 16 sub-blocks of 16, d (scale - 32) (q - 4). Planes: qs 64 bytes (laid out as in Q2_K), hmask 32
// bytes (bit g of byte i is the third bit of weight i of group g of 32), scales 12 bytes (16 of 6 bits: the four low bits
// in bytes 0-7, scales 8-15 in the high halves; the two high bits in bytes 8-11, scale s in bit pair s / 4), d float16.
#include "../include/weights.glsl"
#define CHUNK 32

uint64_t plane_hmask(Weights w) { return w.address + bytes_of(w.blocks, 64); }
uint64_t plane_scales(Weights w) { return w.address + bytes_of(w.blocks, 96); }
uint64_t plane_d(Weights w) { return w.address + bytes_of(w.blocks, 96) + aligned16(bytes_of(w.blocks, 12)); }

// The 6-bit scales of the two sub-blocks of chunk `group` of a block, in bytes 0 and 1.
uint scale_pair(uint64_t scales, uint group) {
  const uint shift = (group & 1) * 16;
  const uint low = load_uint(scales + (group >> 1 & 1) * 4) >> shift >> ((group >> 2) * 4) & 0x0f0f;
  const uint high = load_uint(scales + 8) >> shift >> ((group >> 1) * 2) & 0x0303;
  return low | high << 4;
}

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint block = chunk >> 3;
  const uint group = chunk & 7;
  const uint64_t qs = w.address + bytes_of(chunk >> 2, 32);
  const uint64_t hmask = plane_hmask(w) + bytes_of(block, 32);
  const uint scales = scale_pair(plane_scales(w) + bytes_of(block, 12), group);
  const float d = load_f16(plane_d(w) + bytes_of(block, 2));
  [[unroll]] for (int part = 0; part < 2; part++) {
    const uvec4 high = (load_uvec4(hmask + 16 * part) >> group & 0x01010101u) << 2;
    const uvec4 words = load_uvec4(qs + 16 * part) >> ((group & 3) * 2) & 0x03030303u | high;
    const float scale = d * (byte_f32(scales, part) - 32.0);
    [[unroll]] for (int i = 0; i < 4; i++) {
      [[unroll]] for (int k = 0; k < 4; k++) {
        v[16 * part + 4 * i + k] = fma(scale, byte_f32(words[i], k), -4.0 * scale);
      }
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint block = element >> 8;
  const uint group = element >> 5 & 7;
  const uint i = element & 31;
  const uint low = load_u8(w.address + bytes_of(element >> 7, 32) + i) >> ((group & 3) * 2) & 3;
  const uint high = load_u8(plane_hmask(w) + bytes_of(block, 32) + i) >> group & 1;
  const uint scale = scale_pair(plane_scales(w) + bytes_of(block, 12), group) >> (i >> 4) * 8 & 63;
  return load_f16(plane_d(w) + bytes_of(block, 2)) * (float(scale) - 32.0) * (float(low | high << 2) - 4.0);
}
