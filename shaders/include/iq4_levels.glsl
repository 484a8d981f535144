// The sixteen levels of IQ4_NL and IQ4_XS (src/quant/iq4.ts). They lie within 0.44 of a polynomial of degree 4, so that
// rounding it gives them exactly; that takes fewer instructions than a look-up, which selects among four words or goes
// to memory.

// The level of code `q`, 0 to 15.
float iq4_level(float q) {
  return roundEven(fma(fma(fma(fma(0.0014480185, q, 0.03627325), q, -1.4385637), q, 24.500599), q, -127.0));
}

// The 32 weights of 16 bytes: byte i holds the codes of weights i and i + 16.
void decode_iq4(uvec4 qs, float scale, out float v[32]) {
  [[unroll]] for (int i = 0; i < 4; i++) {
    const uint low = qs[i] & 0x0f0f0f0fu;
    const uint high = qs[i] >> 4 & 0x0f0f0f0fu;
    [[unroll]] for (int k = 0; k < 4; k++) {
      v[4 * i + k] = scale * iq4_level(byte_f32(low, k));
      v[16 + 4 * i + k] = scale * iq4_level(byte_f32(high, k));
    }
  }
}
