// Sine and cosine to float32 accuracy for every float below 2^24: Vulkan promises only an absolute error of 2^-11, and
// only between -pi and pi, while the angles of rotary embeddings grow with the position.
#ifndef TRIG_GLSL
#define TRIG_GLSL

#extension GL_EXT_shader_explicit_arithmetic_types : require

// Quarter turns in |x|, modulo 4, as a fixed-point number with 30 fraction bits. |x| = m 2^e with a 24-bit m, so that the
// product with the first 64 bits of 2/pi is exact in integers and no digits cancel.
uint quarter_turns(float x) {
  const uint bits = floatBitsToUint(x) & 0x7fffffffu;
  const uint m = bits & 0x7fffffu | 0x800000u;
  const int e = int(bits >> 23) - 150;
  const uint64_t product = (uint64_t(m) * 0xa2f9836eu << 8) + (uint64_t(m) * 0x4e441529u >> 24); // 40 fraction bits
  return uint((e < 0 ? product >> -e : product << e) >> 10);
}

// (cos x, sin x). The polynomials are those of the Cephes library, for -pi/4 to pi/4.
vec2 cos_sin(float x) {
  uint quadrant = 0;
  float r = abs(x);
  if (r > 0.78539816) {
    const uint turns = quarter_turns(x);
    quadrant = turns + 0x20000000u >> 30;
    r = float(int(turns - (quadrant << 30))) * 1.4629180793e-9; // pi/2 / 2^30
  }
  const float s = r * r;
  const float sine = r + r * s * (-1.6666654611e-1 + s * (8.3321608736e-3 - s * 1.9515295891e-4));
  const float cosine = 1.0 - 0.5 * s + s * s * (4.166664568e-2 + s * (-1.388731625e-3 + s * 2.443315712e-5));
  const float c = (quadrant & 1) == 0 ? cosine : sine;
  const float d = (quadrant & 1) == 0 ? sine : cosine;
  const bool negativeCosine = quadrant == 1 || quadrant == 2;
  const bool negativeSine = quadrant >= 2 != x < 0.0;
  return vec2(negativeCosine ? -c : c, negativeSine ? -d : d);
}

#endif
