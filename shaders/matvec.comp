#version 460
// Matrix times a few vectors on GPUs: a team of TEAM lanes owns ROWS rows of the matrix and strides over their chunks, so
// that neighbouring lanes read neighbouring 16-byte words. x lies in shared memory, with 16 bytes of padding after
// each 128, because lanes read it 32 elements apart.
// Workgroup (i, j): TEAMS * ROWS rows of the matrix times TOKENS rows of x. With EXPERTS defined, the matrix is one of a stack.
#extension GL_GOOGLE_include_directive : require
#include "format.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint TEAM = 32;
layout(constant_id = 3) const uint ROWS = 1;
layout(constant_id = 4) const uint TOKENS = 1;
layout(constant_id = 5) const uint TILE = 2048; // elements of a row of x in shared memory, a multiple of 32
layout(constant_id = 6) const uint ACTIVATION = 0;
layout(constant_id = 7) const bool PAIR = false;
layout(constant_id = 8) const bool NORM = false;
#include "include/teams.glsl"
#ifdef EXPERTS
layout(constant_id = 9) const bool SUM = false;
layout(constant_id = 10) const bool SLOTTED_X = false;
layout(constant_id = 11) const uint TAIL = 0;
layout(constant_id = 12) const uint LIMIT = 0x7f7fffffu; // the largest float
layout(constant_id = 13) const uint UP_OFFSET = 0;
layout(constant_id = 14) const bool GROUPED = false;
#include "include/expert_product.glsl"
#else
#include "include/matmul.glsl"
#endif

const uint TILE4 = TILE / 4 + TILE / 32; // vec4 words of a tile, padding included

shared vec4 tile[TOKENS * TILE4];

uint padded(uint word) { return word + word / 8; }

// Brings elements `start` to `start + count` of the x rows into the tile; adds their squares to this lane's share.
void load_tile(uint start, uint count, uint firstToken, inout float squares[TOKENS]) {
  uint from[TOKENS];
  [[unroll]] for (uint t = 0; t < TOKENS; t++) from[t] = x_start(firstToken + t) + start;
  for (uint word = lane_index(); word < (count + 3) / 4; word += WORKGROUP) {
    vec4 weight = vec4(1.0);
    if (NORM) [[unroll]] for (uint k = 0; k < 4; k++) weight[k] = norm_weight(start + 4 * word + k);
    [[unroll]] for (uint t = 0; t < TOKENS; t++) {
      vec4 value;
      [[unroll]] for (uint k = 0; k < 4; k++) value[k] = push.x.v[from[t] + 4 * word + k];
      if (NORM) squares[t] += dot(value, value);
      tile[t * TILE4 + padded(word)] = x_factor(firstToken + t, start + 4 * word) * value * weight;
    }
  }
}

void main() {
  const uint lane = lane_index() % TEAM;
  const uint first = (gl_WorkGroupID.x * TEAMS + lane_index() / TEAM) * ROWS;
  begin();
  const uint firstToken = first_token();
  if (firstToken >= token_count()) return;
  const uint chunksPerRow = push.columns / CHUNK;
  float sums[MATRICES][ROWS][TOKENS];
  float squares[TOKENS];
  [[unroll]] for (uint t = 0; t < TOKENS; t++) {
    squares[t] = 0.0;
    [[unroll]] for (uint m = 0; m < MATRICES; m++) {
      [[unroll]] for (uint r = 0; r < ROWS; r++) sums[m][r][t] = 0.0;
    }
  }
  for (uint start = 0; start < x_columns(); start += TILE) {
    const uint count = min(TILE, x_columns() - start);
    if (start > 0) barrier(); // the previous tile has been read
    load_tile(start, count, firstToken, squares);
    barrier();
    for (uint c = lane; c < count / CHUNK; c += TEAM) {
      [[unroll]] for (uint m = 0; m < MATRICES; m++) {
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
          const uint at = start / CHUNK + c;
          const uint segment = SUM ? at / chunksPerRow : 0;
          const uint row = weight_row(m, min(first + r, product_rows() - 1), firstToken, segment);
          float weights[CHUNK];
          decode_chunk(weights_of(m), row * chunksPerRow + at - segment * chunksPerRow, weights);
          [[unroll]] for (uint t = 0; t < TOKENS; t++) {
            [[unroll]] for (uint i = 0; i < CHUNK / 4; i++) {
              const vec4 x = tile[t * TILE4 + padded(c * (CHUNK / 4) + i)];
              [[unroll]] for (uint k = 0; k < 4; k++) sums[m][r][t] += weights[4 * i + k] * x[k];
            }
          }
        }
      }
    }
  }
  [[unroll]] for (uint t = 0; t < TOKENS; t++) {
    float factor = 1.0;
    if (NORM) factor = norm_factor(workgroup_sum(squares[t]));
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
      const float gate = team_sum(sums[0][r][t]);
      const float up = PAIR ? team_sum(sums[MATRICES - 1][r][t]) : 0.0;
      if (lane == (t * ROWS + r) % TEAM && first + r < product_rows() && firstToken + t < token_count()) {
        finish(factor * gate, factor * up, first + r, firstToken + t);
      }
    }
  }
  end(lane_index(), WORKGROUP, firstToken);
}
