// The sixteen levels of IQ4_NL and IQ4_XS, as signed bytes of four words.
const uint LEVELS_0 = 0xbfad9881u; // -127 -104 -83 -65
const uint LEVELS_1 = 0xf6eaddcfu; // -49 -35 -22 -10
const uint LEVELS_2 = 0x26190d01u; // 1 13 25 38
const uint LEVELS_3 = 0x71594535u; // 53 69 89 113

// The level of a code from 0 to 15. Selecting a word costs less than a look-up in memory.
float iq4_level(uint code) {
  const uint low = (code & 4) != 0 ? LEVELS_1 : LEVELS_0;
  const uint high = (code & 4) != 0 ? LEVELS_3 : LEVELS_2;
  const uint word = (code & 8) != 0 ? high : low;
  return float(bitfieldExtract(int(word), int(code & 3) * 8, 8));
}

// The 32 weights of 16 bytes: byte i holds the codes of weights i and i + 16.
void decode_iq4(uvec4 qs, float scale, out float v[32]) {
  [[unroll]] for (int i = 0; i < 4; i++) {
    [[unroll]] for (int k = 0; k < 4; k++) {
      v[4 * i + k] = scale * iq4_level(bitfieldExtract(qs[i], 8 * k, 4));
      v[16 + 4 * i + k] = scale * iq4_level(bitfieldExtract(qs[i], 8 * k + 4, 4));
    }
  }
}
