// Typed views of device memory. Kernels get 64-bit addresses in their push constants; an address of 0 means "not there".
#ifndef BUFFERS_GLSL
#define BUFFERS_GLSL

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_control_flow_attributes : require

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Floats { float v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Halfs { float16_t v[]; };

// As two words of 64 bits: GPUs load 16 bytes at once either way, software devices load lane by lane and word by word.
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer SixteenBytes { u64vec2 value; };

// The 16 bytes at a multiple of 16.
uvec4 load_16_bytes(uint64_t address) {
  const u64vec2 words = SixteenBytes(address).value;
  return uvec4(unpackUint2x32(words.x), unpackUint2x32(words.y));
}

// Elements i to i + 3, which begin at a multiple of 16 bytes.
vec4 load_vector(Floats x, uint i) { return uintBitsToFloat(load_16_bytes(uint64_t(x) + 4 * uint64_t(i))); }

bool present(Floats address) { return uint64_t(address) != 0; }

// The nearest float16, with values beyond its range brought to its ends.
float16_t to_f16(float value) { return float16_t(clamp(value, -65504.0, 65504.0)); }
uint two_halfs(float a, float b) { return packFloat2x16(f16vec2(to_f16(a), to_f16(b))); }

#endif
