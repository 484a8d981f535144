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

// Stores four elements as KV_Q8_0, from `element` on, a multiple of 4; `peak` is the largest magnitude of their block. The lane with the
// first element of a block also stores its scale. Numbers come out as those of ggml's encoder (src/quant/legacy.ts) do.
void store_kv_q8_0(uint64_t row, uint width, uint element, vec4 values, float peak) {
  const float scale = min(peak / 127.0, 65504.0);
  const float inverse = scale > 1.0e-30 ? 1.0 / scale : 0.0;
  const ivec4 q = ivec4(clamp(values * inverse, -127.0, 127.0) + 0.5 * sign(values)); // halves go away from zero
  KvWord(row + element).value = (q.x & 255) | (q.y & 255) << 8 | (q.z & 255) << 16 | q.w << 24;
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

// The same as float16, packed.
uvec4 load_kv8_f16(uint64_t row, uint type, uint width, uint element) {
  if (type == KV_F16) return load_16_bytes(row + 2 * element);
  vec4 v[2];
  load_kv8(row, type, width, element, v);
  return uvec4(two_halfs(v[0].x, v[0].y), two_halfs(v[0].z, v[0].w), two_halfs(v[1].x, v[1].y), two_halfs(v[1].z, v[1].w));
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
