#version 460
// Matrix times many vectors in float32, for GPUs without matrix units. Tiles of both operands are brought into shared
// memory, column by column, so that a lane reads what it needs of a column 16 bytes at a time; it owns LANE_ROWS x
// LANE_TOKENS elements of the product, in groups of 4 x 4. While one tile is multiplied, the next is on its way to registers.
// Workgroup (i, j): TOKENS rows of x times ROWS_PER_MATRIX rows of the matrix.
#extension GL_GOOGLE_include_directive : require
#include "format.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint TILE_ROWS = 128;
layout(constant_id = 2) const uint TOKENS = 64;
layout(constant_id = 3) const uint TILE_COLUMNS = 32;
layout(constant_id = 4) const uint LANE_ROWS = 8; // WORKGROUP is TILE_ROWS / LANE_ROWS * TOKENS / LANE_TOKENS
layout(constant_id = 5) const uint LANE_TOKENS = 8;
layout(constant_id = 6) const uint ACTIVATION = 0;
layout(constant_id = 7) const bool PAIR = false;
layout(constant_id = 8) const bool ALIGNED = false;
const bool NORM = false;
#include "include/matmul_tiles.glsl"

// vec4 words of a column; one more than needed, so that lanes that write neighbouring columns use other banks
const uint WEIGHT_STRIDE = TILE_ROWS / 4 + 1;
const uint INPUT_STRIDE = TOKENS / 4 + 1;
const uint ROW_GROUPS = LANE_ROWS / 4; // even with PAIR: first those of one matrix, then those of the other
const uint TOKEN_GROUPS = LANE_TOKENS / 4;
const uint ROW_LANES = TILE_ROWS / LANE_ROWS;
const uint TOKEN_LANES = TOKENS / LANE_TOKENS;

shared vec4 weightTile[TILE_COLUMNS * WEIGHT_STRIDE];
shared vec4 inputTile[TILE_COLUMNS * INPUT_STRIDE];

// The next tile, in this lane's registers.
float nextWeights[WEIGHT_LOADS][CHUNK];
vec4 nextInputs[INPUT_LOADS][2];

vec4 sums[LANE_ROWS][TOKEN_GROUPS]; // of 4 tokens

void fetch(uint start) {
  [[unroll]] for (uint l = 0; l < WEIGHT_LOADS; l++) {
    const bool exists = load_weights(l * WORKGROUP + gl_LocalInvocationIndex, start, nextWeights[l]);
    if (!exists) [[unroll]] for (uint k = 0; k < CHUNK; k++) nextWeights[l][k] = 0.0;
  }
  [[unroll]] for (uint l = 0; l < INPUT_LOADS; l++) {
    load_inputs(l * WORKGROUP + gl_LocalInvocationIndex, start, nextInputs[l]);
  }
}

void store() {
  [[unroll]] for (uint l = 0; l < WEIGHT_LOADS; l++) {
    const uint i = l * WORKGROUP + gl_LocalInvocationIndex;
    if (!in_tile(i, TILE_ROWS * CHUNKS)) break;
    const uint row = i / CHUNKS;
    const uint to = i % CHUNKS * CHUNK * WEIGHT_STRIDE + row / 4;
    [[unroll]] for (uint k = 0; k < CHUNK; k++) weightTile[to + k * WEIGHT_STRIDE][row % 4] = nextWeights[l][k];
  }
  [[unroll]] for (uint l = 0; l < INPUT_LOADS; l++) {
    const uint i = l * WORKGROUP + gl_LocalInvocationIndex;
    if (!in_tile(i, TOKENS * PIECES)) break;
    const uint token = i / PIECES;
    const uint to = i % PIECES * 8 * INPUT_STRIDE + token / 4;
    [[unroll]] for (uint k = 0; k < 8; k++) inputTile[to + k * INPUT_STRIDE][token % 4] = nextInputs[l][k / 4][k % 4];
  }
}

uint lane_row() { return gl_LocalInvocationIndex % ROW_LANES * 4; }
uint lane_token() { return gl_LocalInvocationIndex / ROW_LANES * 4; }

void multiply() {
  [[unroll]] for (uint column = 0; column < TILE_COLUMNS; column++) {
    vec4 x[TOKEN_GROUPS];
    [[unroll]] for (uint t = 0; t < TOKEN_GROUPS; t++) {
      x[t] = inputTile[column * INPUT_STRIDE + (t * TOKEN_LANES * 4 + lane_token()) / 4];
    }
    [[unroll]] for (uint g = 0; g < ROW_GROUPS; g++) {
      const vec4 w = weightTile[column * WEIGHT_STRIDE + (g * ROW_LANES * 4 + lane_row()) / 4];
      [[unroll]] for (uint r = 0; r < 4; r++) {
        [[unroll]] for (uint t = 0; t < TOKEN_GROUPS; t++) sums[4 * g + r][t] += w[r] * x[t];
      }
    }
  }
}

void main() {
  [[unroll]] for (uint r = 0; r < LANE_ROWS; r++) {
    [[unroll]] for (uint t = 0; t < TOKEN_GROUPS; t++) sums[r][t] = vec4(0.0);
  }
  fetch(0);
  for (uint next = TILE_COLUMNS; next - TILE_COLUMNS < push.columns; next += TILE_COLUMNS) {
    barrier(); // the previous tile has been read
    store();
    barrier();
    if (next < push.columns) fetch(next);
    multiply();
  }
  const uint UP = PAIR ? LANE_ROWS / 2 : 0; // distance between what belongs together
  [[unroll]] for (uint r = 0; r < LANE_ROWS / MATRICES; r++) {
    const uint row = weight_of_tile_row(r / 4 * ROW_LANES * 4 + lane_row() + r % 4);
    [[unroll]] for (uint t = 0; t < LANE_TOKENS; t++) {
      const uint token = tile_token() + t / 4 * TOKEN_LANES * 4 + lane_token() + t % 4;
      if (row < push.rows && token < push.tokens) finish(sums[r][t / 4][t % 4], sums[r + UP][t / 4][t % 4], row, token);
    }
  }
}
