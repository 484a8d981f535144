// The code book of an IQ format: vectors of 8 or 4 levels, a signed byte each, behind the last plane.

// The levels of vectors of 8 and of 4.
uvec2 eight_levels(uint64_t book, uint index) { return load_uvec2(book + bytes_of(index, 8)); }
uint four_levels(uint64_t book, uint index) { return load_uint(book + bytes_of(index, 4)); }

// Eight signs from seven bits: the number of minus signs is always even, so that the eighth is their parity.
uint signs_of_code(uint code) { return code | (uint(bitCount(code)) & 1) << 7; }

// The scale, negated where bit `i` of `signs` is set.
float signed_scale(float scale, uint signs, int i) {
  return uintBitsToFloat(floatBitsToUint(scale) ^ signs << (31 - i) & 0x80000000u);
}

// Weights `first` to `first + 3`: four levels times the scale, with signs from bit 0 on.
void store_signed(uint levels, float scale, uint signs, int first, inout float v[32]) {
  [[unroll]] for (int k = 0; k < 4; k++) v[first + k] = signed_scale(scale, signs, k) * byte_f32(levels, k);
}

// Weights `first` to `first + 7`.
void store_signed(uvec2 levels, float scale, uint signs, int first, inout float v[32]) {
  store_signed(levels.x, scale, signs, first, v);
  store_signed(levels.y, scale, signs >> 4, first + 4, v);
}

// Weights `first` to `first + 7` of an IQ1 format: scale (level + delta), levels being -1, 0 and 1.
void store_shifted(uvec2 levels, float scale, float delta, int first, inout float v[32]) {
  [[unroll]] for (int k = 0; k < 8; k++) {
    v[first + k] = scale * (signed_byte_f32(levels[k >> 2], k & 3) + delta);
  }
}
