// Four-bit floats as zinc stores them (src/quant/recodings.ts): a code is 8 more than twice the value, but for four values that
// are larger than that. Their codes 13 and 15 stand for 8 and 12, 3 and 1 for -8 and -12; these are the codes whose bit 0 is
// set and whose bits 2 and 3 are the same, and what is to be added is -5, plus 8 for bit 3, plus 2 for bit 1.

// 5 more than what is to be added to each of the eight codes in `codes`, and 5 where that is nothing. A code and this are
// together 13 more than twice the value.
uint fp4_corrections(uint codes) {
  const uint corrected = codes & ~(codes >> 3 ^ codes >> 2) & 0x11111111u;
  const uint mask = corrected * 15;
  return codes & mask & 0xaaaaaaaau | ~mask & 0x55555555u;
}
const float FP4_OFFSET = 13.0;
