// A cache of keys or of values. It has one row of `width` elements per position, all stored as one of the types below; the including
// file declares types and widths as specialization constants, so that only the code for one type remains.
//
// A row of Q8_0 lies as a tensor of its own (src/quant/planes.ts): `width` signed bytes, a float16 scale for every 32 of them, padding
// to a multiple of 16 bytes. Its width and the size of its heads are multiples of 32.
#ifndef KV_CACHE_GLSL
#define KV_CACHE_GLSL

#include "buffers.glsl"

// As CACHE_TYPES in src/kernels/cache_types.ts.
const uint KV_F32 = 0;
const uint KV_F16 = 1;
const uint KV_Q8_0 = 2;
const uint KV_BLOCK = 32; // elements of Q8_0 that share a scale

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer KvWord { uint value; };
layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer KvFourWords { uvec4 value; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer KvTwoWords { uint64_t value; };

uint kv_row_bytes(uint type, uint width) {
  if (type == KV_Q8_0) return (width + width / 16 + 15) & ~15u;
  return type == KV_F16 ? 2 * width : 4 * width;
}

// Address of the row of `position`, which the functions below take.
uint64_t kv_row(uint64_t cache, uint type, uint width, uint position) {
  return cache + uint64_t(position) * kv_row_bytes(type, width);
}

// Stores an element as KV_F32 or KV_F16.
void store_kv(uint64_t row, uint type, uint element, float value) {
  if (type == KV_F16) Halfs(row + 2 * element).v[0] = to_f16(value);
  else Floats(row + 4 * element).v[0] = value;
}

// Scale of a block of KV_Q8_0 whose largest magnitude is `peak`, and four of its elements packed. Numbers come out as those of ggml's
// encoder (src/quant/legacy.ts) do.
float kv_q8_0_scale(float peak) { return min(peak / 127.0, 65504.0); }
uint kv_q8_0_word(vec4 values, float scale) {
  const float inverse = scale > 1.0e-30 ? 1.0 / scale : 0.0;
  const ivec4 q = ivec4(clamp(values * inverse, -127.0, 127.0) + 0.5 * sign(values)); // halves go away from zero
  return (q.x & 255) | (q.y & 255) << 8 | (q.z & 255) << 16 | q.w << 24;
}

// Stores four elements as KV_Q8_0, from `element` on, a multiple of 4; `peak` is the largest magnitude of their block. The lane with the
// first element of a block also stores its scale.
void store_kv_q8_0(uint64_t row, uint width, uint element, vec4 values, float peak) {
  const float scale = kv_q8_0_scale(peak);
  KvWord(row + element).value = kv_q8_0_word(values, scale);
  if (element % KV_BLOCK == 0) Halfs(row + width + element / 16).v[0] = float16_t(scale);
}

// Eight elements from `element` on, which is a multiple of 8, as is the width.
void load_kv8(uint64_t row, uint type, uint width, uint element, out vec4 v[2]) {
  if (type == KV_Q8_0) {
    const uvec2 words = unpackUint2x32(KvTwoWords(row + element).value);
    const float scale = float(Halfs(row + width + element / KV_BLOCK * 2).v[0]);
    [[unroll]] for (uint i = 0; i < 2; i++) {
      [[unroll]] for (int k = 0; k < 4; k++) v[i][k] = scale * float(bitfieldExtract(int(words[i]), 8 * k, 8));
    }
  } else if (type == KV_F16) {
    const uvec4 words = load_16_bytes(row + 2 * element);
    v[0] = vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y));
    v[1] = vec4(unpackHalf2x16(words.z), unpackHalf2x16(words.w));
  } else {
    v[0] = uintBitsToFloat(load_16_bytes(row + 4 * element));
    v[1] = uintBitsToFloat(load_16_bytes(row + 4 * element + 16));
  }
}

// Eight elements of KV_F16 or KV_Q8_0 as they are stored, for kernels that load long before they use: four words of two elements, or
// two of four and a scale.
uvec4 load_kv8_words(uint64_t row, uint type, uint width, uint element) {
  if (type == KV_F16) return load_16_bytes(row + 2 * element);
  const uvec2 words = unpackUint2x32(KvTwoWords(row + element).value);
  return uvec4(words, uint(float16BitsToUint16(Halfs(row + width + element / KV_BLOCK * 2).v[0])), 0);
}

// Elements 4 h ... of these.
vec4 kv8_elements(uvec4 words, uint type, uint h) {
  if (type == KV_F16) return vec4(unpackHalf2x16(words[2 * h]), unpackHalf2x16(words[2 * h + 1]));
  vec4 v;
  const float scale = unpackHalf2x16(words.z).x;
  [[unroll]] for (int k = 0; k < 4; k++) v[k] = scale * float(bitfieldExtract(int(words[h]), 8 * k, 8));
  return v;
}

// The words of eight elements; `peak` is the largest magnitude of their block, which KV_F16 does not ask for.
uvec4 kv8_words(vec4 v[2], uint type, float peak) {
  if (type == KV_F16) {
    return uvec4(two_halfs(v[0].x, v[0].y), two_halfs(v[0].z, v[0].w), two_halfs(v[1].x, v[1].y), two_halfs(v[1].z, v[1].w));
  }
  const float scale = kv_q8_0_scale(peak);
  return uvec4(kv_q8_0_word(v[0], scale), kv_q8_0_word(v[1], scale), two_halfs(scale, 0.0), 0);
}

void store_kv8_words(uint64_t row, uint type, uint width, uint element, uvec4 words) {
  if (type == KV_F16) KvFourWords(row + 2 * element).value = words;
  else {
    [[unroll]] for (uint i = 0; i < 2; i++) KvWord(row + element + 4 * i).value = words[i];
    if (element % KV_BLOCK == 0) Halfs(row + width + element / 16).v[0] = uint16BitsToFloat16(uint16_t(words.z));
  }
}

// As load_kv8, as the words of KV_F16.
uvec4 load_kv8_f16(uint64_t row, uint type, uint width, uint element) {
  if (type == KV_F16) return load_16_bytes(row + 2 * element);
  vec4 v[2];
  load_kv8(row, type, width, element, v);
  return kv8_words(v, KV_F16, 0.0);
}

// As load_kv8 of KV_F32 or KV_F16 with any width, at any element; elements from `count` on are 0.
void load_kv_part(uint64_t row, uint type, uint element, uint count, out vec4 v[2]) {
  [[unroll]] for (uint i = 0; i < 8; i++) {
    v[i / 4][i % 4] = 0.0;
    if (i >= count) continue;
    if (type == KV_F16) v[i / 4][i % 4] = float(Halfs(row + 2 * (element + i)).v[0]);
    else v[i / 4][i % 4] = Floats(row + 4 * (element + i)).v[0];
  }
}

#endif
