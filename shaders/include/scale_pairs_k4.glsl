// As scales_k4.glsl, for the two sub-blocks of a pair at once.

// Weight = x q + y with the quants of sub-blocks 2 pair and 2 pair + 1.
void scale_pair(uvec4 head, uint pair, out vec2 terms[2]) {
  const uint shift = (pair & 1) * 16;
  const uint a = head.y >> shift;
  const uint b = head.z >> shift;
  const uint c = head.w >> shift;
  const bool early = pair < 2;
  const uint scales = early ? a & 0x3f3fu : c & 0x0f0fu | a >> 2 & 0x3030u;
  const uint minimums = early ? b & 0x3f3fu : c >> 4 & 0x0f0fu | b >> 2 & 0x3030u;
  const vec2 dm = unpackHalf2x16(head.x) * vec2(1.0, -1.0);
  [[unroll]] for (int i = 0; i < 2; i++) terms[i] = dm * vec2(byte_f32(scales, i), byte_f32(minimums, i));
}
