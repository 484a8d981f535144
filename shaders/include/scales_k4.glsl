// The first 16 bytes of a Q4_K or Q5_K block: float16 d and dmin, then eight 6-bit scales and eight 6-bit minimums in
// 12 bytes. Bytes 0-3 hold scales 0-3, bytes 4-7 minimums 0-3, bytes 8-11 the low halves of scales 4-7 (low) and
// minimums 4-7 (high), whose upper two bits are the top bits of bytes 0-7.

// Scale and minimum of sub-block `sub`, multiplied by d and dmin.
vec2 scale_and_minimum(uvec4 head, uint sub) {
  const uint shift = (sub & 3) * 8;
  const uint a = head.y >> shift;
  const uint b = head.z >> shift;
  const uint c = head.w >> shift;
  const uint scale = sub < 4 ? a & 63 : c & 15 | a >> 2 & 0x30;
  const uint minimum = sub < 4 ? b & 63 : c >> 4 & 15 | b >> 2 & 0x30;
  return unpackHalf2x16(head.x) * vec2(scale, minimum);
}
