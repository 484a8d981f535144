// The arithmetic of weights that are floats: x in shared memory as it is. Elements lie in the order in which lanes read them:
// four at a time, neighbouring lanes neighbouring words.
//
// The including file is matvec_dot.comp; the format in dots/ declares GROUP and place(), and unpacks weights to float32.
#ifndef FLOATING_POINT_GLSL
#define FLOATING_POINT_GLSL

const uint QUADS = GROUP / 4;

shared vec4 quads[TOKENS * SLICES * QUADS * TEAM];

// Four elements of the group of lane `lane` in a slice.
uint quad_index(uint t, uint slice, uint quad, uint lane) { return ((t * SLICES + slice) * QUADS + quad) * TEAM + lane; }

// A single token's x for the group of this lane, in registers.
vec4 ownQuads[QUADS];

void load_own(uint slice, uint lane) {
  if (TOKENS > 1) return;
  [[unroll]] for (uint i = 0; i < QUADS; i++) ownQuads[i] = quads[quad_index(0, slice, i, lane)];
}

// Stores eight elements of x as half piece `halfPiece` of the part.
void store_x(uint t, uint halfPiece, vec4 x[2]) {
  const uvec2 at = place(halfPiece >> 1); // group and piece
  [[unroll]] for (uint i = 0; i < 2; i++) {
    quads[quad_index(t, at.x / TEAM, 4 * at.y + 2 * (halfPiece & 1) + i, at.x % TEAM)] = x[i];
  }
}

// Adds the products with the weights of streams `first` ... to the sums.
void multiply(uint w[TOGETHER][WORDS], vec2 terms[TOGETHER][SUBS], uint first, inout float sums[VALUES]) {
  [[unroll]] for (uint t = 0; t < TOKENS; t++) {
    [[unroll]] for (uint i = 0; i < QUADS; i++) {
      const vec4 x = TOKENS == 1 ? ownQuads[i] : quads[quad_index(t, slice(), i, team_lane())];
      [[unroll]] for (uint s = 0; s < TOGETHER; s++) {
        [[unroll]] for (uint k = 0; k < 4; k++) {
          sums[t * STREAMS + first + s] += uintBitsToFloat(w[s][4 * i + k]) * x[k];
        }
      }
    }
  }
}

#endif
