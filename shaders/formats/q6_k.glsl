// Q6_K: 256 weights in 16 sub-blocks of 16, d scale (q - 32). Planes: ql 128 bytes, qh 64 bytes, scales 16 signed bytes,
// d float16. Each half of the block (128 weights, four groups of 32) has 64 bytes of ql and 32 of qh: groups 0 and 1
// are the low halves of ql, groups 2 and 3 the high halves; group g is bit pair g of qh. Its 8 scales are those of the first
// halves of its groups, then those of the second.
#include "../include/weights.glsl"
#define CHUNK 32

uint64_t plane_qh(Weights w) { return w.address + bytes_of(w.blocks, 128); }
uint64_t plane_scales(Weights w) { return w.address + bytes_of(w.blocks, 192); }
uint64_t plane_d(Weights w) { return w.address + bytes_of(w.blocks, 208); }

void decode_chunk(Weights w, uint chunk, out float v[CHUNK]) {
  const uint group = chunk & 3;
  const uint64_t ql = w.address + bytes_of(chunk >> 2, 64) + (group & 1) * 32;
  const uint64_t qh = plane_qh(w) + bytes_of(chunk >> 2, 32);
  const uvec2 scales = load_uvec2(plane_scales(w) + bytes_of(chunk >> 2, 8)) >> 8 * group;
  const float d = load_f16(plane_d(w) + bytes_of(chunk >> 3, 2));
  const uint shift = (group >> 1) * 4;
  [[unroll]] for (int part = 0; part < 2; part++) {
    const uvec4 high = (load_uvec4(qh + 16 * part) >> (group * 2) & 0x03030303u) << 4;
    const uvec4 words = load_uvec4(ql + 16 * part) >> shift & 0x0f0f0f0fu | high;
    const float scale = d * signed_byte_f32(scales[part], 0);
    [[unroll]] for (int i = 0; i < 4; i++) {
      [[unroll]] for (int k = 0; k < 4; k++) {
        v[16 * part + 4 * i + k] = fma(scale, byte_f32(words[i], k), -32.0 * scale);
      }
    }
  }
}

float decode_one(Weights w, uint element) {
  const uint group = element >> 5 & 3;
  const uint i = element & 31;
  const uint low = load_u8(w.address + bytes_of(element >> 7, 64) + (group & 1) * 32 + i) >> ((group >> 1) * 4) & 15;
  const uint high = load_u8(plane_qh(w) + bytes_of(element >> 7, 32) + i) >> (group * 2) & 3;
  const uint64_t scales = plane_scales(w) + bytes_of(element >> 7, 8);
  const float scale = signed_byte_f32(load_u8(scales + (i >> 4) * 4 + group), 0);
  return load_f16(plane_d(w) + bytes_of(element >> 8, 2)) * scale * (float(low | high << 4) - 32.0);
}
