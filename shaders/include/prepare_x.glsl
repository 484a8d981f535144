// Brings x into shared memory, where the arithmetic (fixed_point.glsl or floating_point.glsl) stores it in its own form. One
// part of x, SLICES * TEAM groups, is there at a time; what lies behind the end of x is 0.
#ifndef PREPARE_X_GLSL
#define PREPARE_X_GLSL

const uint HALF_PIECES = SLICES * TEAM * (GROUP / 8); // of a part; lanes prepare 8 elements at a time
const uint HALVES_PER_LANE = (HALF_PIECES + WORKGROUP - 1) / WORKGROUP;
const uint BATCH = HALVES_PER_LANE < 2 ? 1 : 2; // half pieces of a lane whose loads are in flight

shared float squareSums[TOKENS * SUBGROUPS];

vec4 load_x(uint element) {
  if (ALIGNED) return load_vector(push.x, element);
  return vec4(push.x.v[element], push.x.v[element + 1], push.x.v[element + 2], push.x.v[element + 3]);
}

// Asks for a batch of a lane: half pieces `batch`, `batch + WORKGROUP` ... of part `part`.
void load_batch(uint part, uint batch, uint t, out vec4 x[BATCH][2], out vec4 weights[BATCH][2]) {
  const uint start = x_start(first_token() + t);
  [[unroll]] for (uint i = 0; i < BATCH; i++) {
    const uint column = (part * HALF_PIECES + batch + i * WORKGROUP) * 8;
    [[unroll]] for (uint k = 0; k < 2; k++) {
      x[i][k] = column < x_columns() ? load_x(start + column + 4 * k) : vec4(0.0);
      if (NORM) weights[i][k] = column < x_columns() ? load_vector(push.normWeight, column + 4 * k) : vec4(0.0);
    }
  }
}

// Stores part `part` of x and adds its squares to this lane's shares. The first batch has been loaded. Barriers are the
// caller's.
void prepare_x(uint part, inout vec4 x[BATCH][2], inout vec4 weights[BATCH][2], inout float squares[TOKENS]) {
  [[dont_unroll]] for (uint batch = lane_index(); batch < HALF_PIECES; batch += BATCH * WORKGROUP) {
    [[unroll]] for (uint t = 0; t < TOKENS; t++) {
      [[unroll]] for (uint i = 0; i < BATCH; i++) {
        const uint halfPiece = batch + i * WORKGROUP;
        const uint column = (part * HALF_PIECES + halfPiece) * 8;
        const float factor = x_factor(first_token() + t, min(column, x_columns() - 1));
        [[unroll]] for (uint k = 0; k < 2; k++) {
          if (NORM) {
            squares[t] += dot(x[i][k], x[i][k]);
            x[i][k] *= weights[i][k];
          }
          x[i][k] *= factor;
        }
        if (halfPiece < HALF_PIECES) store_x(t, halfPiece, x[i]);
      }
      const bool last = t + 1 == TOKENS;
      if (HALVES_PER_LANE > BATCH || !last) {
        load_batch(part, last ? batch + BATCH * WORKGROUP : batch, last ? 0 : t + 1, x, weights);
      }
    }
  }
}

// Leaves the sums of squares of all lanes in shared memory.
void share_squares(float squares[TOKENS]) {
  [[unroll]] for (uint t = 0; t < TOKENS; t++) {
    const float sum = subgroupAdd(squares[t]);
    if (subgroupElect()) squareSums[t * SUBGROUPS + gl_SubgroupID] = sum;
  }
}

// Of all elements of token `t`, after share_squares() and a barrier.
float sum_of_squares(uint t) {
  float sum = 0.0;
  for (uint i = 0; i < SUBGROUPS; i++) sum += squareSums[t * SUBGROUPS + i];
  return sum;
}

#endif
