#version 460
// Matrix times matrix for prompts. A workgroup computes a tile of y: 16 * LANE_ROWS rows of the weight times
// (WORKGROUP / 16) * LANE_TOKENS rows of x. In steps of 32 columns it decodes the tile of the weight and copies that of
// x into shared memory, column by column; then each lane multiplies LANE_ROWS x LANE_TOKENS outputs in registers.
// Workgroup (i, j): tile i of the weight's rows, tile j of the tokens.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#include "format.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint LANE_ROWS = 4; // a multiple of 4
layout(constant_id = 2) const uint LANE_TOKENS = 4;
layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const bool PAIR = false;
const bool NORM = false;
const uint TOKENS = WORKGROUP / 16 * LANE_TOKENS;
#include "include/matmul.glsl"

const uint ROWS = 16 * LANE_ROWS;
const uint COLUMNS = 32;
const uint ROW_WORDS = ROWS / 4 + 1; // vec4, with one of padding
const uint TOKEN_WORDS = (TOKENS + 3) / 4 + 1;

shared vec4 weightTile[MATRICES * COLUMNS * ROW_WORDS];
shared vec4 xTile[COLUMNS * TOKEN_WORDS];

// Decodes columns `start` ... of the workgroup's rows.
void load_weights(uint start) {
  const uint chunksPerRow = push.columns / CHUNK;
  const uint chunks = COLUMNS / CHUNK; // of a row of the tile
  for (uint i = gl_LocalInvocationIndex; i < MATRICES * ROWS * chunks; i += WORKGROUP) {
    const uint matrix = i / (ROWS * chunks);
    const uint row = i % ROWS; // neighbouring lanes have neighbouring rows, which keeps their stores apart
    const uint chunk = i / ROWS % chunks;
    const uint weightRow = min(gl_WorkGroupID.x * ROWS + row, push.rows - 1);
    const bool inside = start / CHUNK + chunk < chunksPerRow;
    float v[CHUNK];
    decode_chunk(weights_of(matrix), weightRow * chunksPerRow + (inside ? start / CHUNK + chunk : 0), v);
    [[unroll]] for (uint k = 0; k < CHUNK; k++) {
      weightTile[(matrix * COLUMNS + chunk * CHUNK + k) * ROW_WORDS + row / 4][row % 4] = inside ? v[k] : 0.0;
    }
  }
}

// Copies columns `start` ... of the workgroup's tokens.
void load_x(uint start) {
  for (uint i = gl_LocalInvocationIndex; i < COLUMNS * TOKENS; i += WORKGROUP) {
    const uint column = start + i % COLUMNS;
    const uint token = i / COLUMNS;
    const uint row = min(first_token() + token, push.tokens - 1);
    const float value = push.x.v[row * push.xStride + min(column, push.columns - 1)];
    xTile[i % COLUMNS * TOKEN_WORDS + token / 4][token % 4] = column < push.columns ? value : 0.0;
  }
}

void main() {
  const uint laneRow = gl_LocalInvocationIndex % 16;
  const uint laneToken = gl_LocalInvocationIndex / 16;
  vec4 sums[MATRICES][LANE_ROWS / 4][LANE_TOKENS];
  [[unroll]] for (uint m = 0; m < MATRICES; m++) {
    [[unroll]] for (uint r = 0; r < LANE_ROWS / 4; r++) {
      [[unroll]] for (uint t = 0; t < LANE_TOKENS; t++) sums[m][r][t] = vec4(0.0);
    }
  }
  for (uint start = 0; start < push.columns; start += COLUMNS) {
    load_weights(start);
    load_x(start);
    barrier();
    for (uint k = 0; k < COLUMNS; k++) {
      float x[LANE_TOKENS];
      [[unroll]] for (uint t = 0; t < LANE_TOKENS; t++) {
        const uint token = laneToken * LANE_TOKENS + t;
        x[t] = xTile[k * TOKEN_WORDS + token / 4][token % 4];
      }
      [[unroll]] for (uint m = 0; m < MATRICES; m++) {
        [[unroll]] for (uint r = 0; r < LANE_ROWS / 4; r++) {
          // A lane's rows come in fours, 64 apart, so that neighbouring lanes read neighbouring words.
          const vec4 w = weightTile[(m * COLUMNS + k) * ROW_WORDS + r * 16 + laneRow];
          [[unroll]] for (uint t = 0; t < LANE_TOKENS; t++) sums[m][r][t] += w * x[t];
        }
      }
    }
    barrier();
  }
  [[unroll]] for (uint t = 0; t < LANE_TOKENS; t++) {
    const uint token = first_token() + laneToken * LANE_TOKENS + t;
    [[unroll]] for (uint r = 0; r < LANE_ROWS; r++) {
      const uint row = gl_WorkGroupID.x * ROWS + (r / 4 * 16 + laneRow) * 4 + r % 4;
      if (row < push.rows && token < push.tokens) {
        finish(sums[0][r / 4][t][r % 4], PAIR ? sums[MATRICES - 1][r / 4][t][r % 4] : 0.0, row, token);
      }
    }
  }
}
