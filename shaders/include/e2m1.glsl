// Four-bit floats: a sign, two bits of exponent, one of mantissa. The three magnitude bits are put where a float16 has
// its lowest exponent bits and its highest mantissa bit; that float16 is 2^-14 times the value, for the subnormal code
// 0.5 as well as for the normal ones.

// 2^-14 times the codes in bits 0-3 and 16-19 of `word`.
vec2 two_codes(uint word) { return unpackHalf2x16(word << 9 & 0x0e000e00u | word << 12 & 0x80008000u); }
