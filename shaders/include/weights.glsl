// Reading weights by address. A tensor of n blocks lies on the device plane by plane (src/quant/planes.ts): each field
// of all n blocks, then the next field, every plane at a multiple of 16 bytes. All offsets are 64 bits wide, because a
// plane can be longer than 4 GiB.
//
// A file of formats/ adds, for one block format:
//   CHUNK                                      consecutive weights that are decoded at once
//   void decode_chunk(Weights, uint, out float[CHUNK])   chunk i: weights i * CHUNK ... of the tensor
//   float decode_one(Weights, uint)            one weight, counted from the tensor's start
// They give the same values as the decoders of src/quant: every product is exact in float32, so that only an addition
// of a minimum rounds, once, whether or not the compiler fuses it.
#ifndef WEIGHTS_GLSL
#define WEIGHTS_GLSL

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_control_flow_attributes : require

struct Weights {
  uint64_t address; // of plane 0; a multiple of 16
  uint blocks; // of the whole tensor
};

// Words of 64 bits, because software devices load lane by lane and word by word; GPUs load 16 bytes at once either way.
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer U64Vec2Ref { u64vec2 value; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer U64Ref { uint64_t value; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer UintRef { uint value; };
layout(buffer_reference, scalar, buffer_reference_align = 2) readonly buffer U16Ref { uint16_t value; };
layout(buffer_reference, scalar, buffer_reference_align = 1) readonly buffer U8Ref { uint8_t value; };

uvec4 load_uvec4(uint64_t address) {
  const u64vec2 words = U64Vec2Ref(address).value;
  return uvec4(unpackUint2x32(words.x), unpackUint2x32(words.y));
}
uvec2 load_uvec2(uint64_t address) { return unpackUint2x32(U64Ref(address).value); }
uint load_uint(uint64_t address) { return UintRef(address).value; }
uint load_u16(uint64_t address) { return uint(U16Ref(address).value); }
uint load_u8(uint64_t address) { return uint(U8Ref(address).value); }

// A float16 scale.
float load_f16(uint64_t address) { return unpackHalf2x16(load_u16(address)).x; }

// Half byte `i` of the bytes from `address` on, low halves first.
uint load_nibble(uint64_t address, uint i) { return load_u8(address + (i >> 1)) >> ((i & 1) * 4) & 15; }

// Byte `i` (0 to 3) of a word as a float, and as a signed one.
float byte_f32(uint word, int i) { return float(bitfieldExtract(word, 8 * i, 8)); }
float signed_byte_f32(uint word, int i) { return float(bitfieldExtract(int(word), 8 * i, 8)); }

// Bits 0 to 3 moved to bit 4 of bytes 0 to 3. The four shifted copies of the product do not overlap.
uint spread_fifth_bits(uint bits) { return (bits & 15) * 0x02040810u & 0x10101010u; }

// `n` 16-byte pieces, or `n` blocks of `bytes` bytes, as an offset.
uint64_t pieces(uint n) { return uint64_t(n) << 4; }
uint64_t bytes_of(uint n, uint bytes) { return uint64_t(n) * bytes; }

// Where a plane starts that follows `bytes` bytes per block; only the planes behind the last multiple of 16 need it.
uint64_t aligned16(uint64_t offset) { return (offset + 15) & ~uint64_t(15); }

#endif
