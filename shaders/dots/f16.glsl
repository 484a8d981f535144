// F16 (formats/f16.glsl).
#include "../include/weights.glsl"
#define GROUP 32
#define WORDS 32 // of float32
#include "../include/group_floats.glsl"

void unpack(Quants v, uint group, out uint w[32], out vec2 terms[1]) {
  [[unroll]] for (int part = 0; part < 4; part++) {
    [[unroll]] for (int i = 0; i < 4; i++) {
      const vec2 pair = unpackHalf2x16(v.words[part][i]);
      w[8 * part + 2 * i] = floatBitsToUint(pair.x);
      w[8 * part + 2 * i + 1] = floatBitsToUint(pair.y);
    }
  }
}
