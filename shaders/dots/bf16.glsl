// BF16 (formats/bf16.glsl).
#include "../include/weights.glsl"
#define GROUP 32
#define WORDS 32 // of float32
#include "../include/group_floats.glsl"

void unpack(Quants v, uint group, out uint w[32], out vec2 terms[1]) {
  [[unroll]] for (int part = 0; part < 4; part++) {
    [[unroll]] for (int i = 0; i < 4; i++) {
      w[8 * part + 2 * i] = v.words[part][i] << 16;
      w[8 * part + 2 * i + 1] = v.words[part][i] & 0xffff0000u;
    }
  }
}
