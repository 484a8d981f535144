// F32 (formats/f32.glsl).
#include "../include/weights.glsl"
#define GROUP 16
#define WORDS 16 // of float32
#include "../include/group_floats.glsl"

void unpack(Quants v, uint group, out uint w[16], out vec2 terms[1]) {
  [[unroll]] for (int part = 0; part < 4; part++) {
    [[unroll]] for (int i = 0; i < 4; i++) w[4 * part + i] = v.words[part][i];
  }
}
