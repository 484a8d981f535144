#version 460
// Matrix times vectors for formats without blocks whose rows are not whole 16-byte words: one weight at a time.
// Workgroup (i, j): TEAMS rows of the matrix times row j of x. With EXPERTS defined, the matrix is one of a stack.
#extension GL_GOOGLE_include_directive : require
#include "format.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
const uint TOKENS = 1;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint TEAM = 32;
layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const bool PAIR = false;
layout(constant_id = 5) const bool NORM = false;
#include "include/teams.glsl"
#ifdef EXPERTS
layout(constant_id = 6) const bool SUM = false;
layout(constant_id = 7) const bool SLOTTED_X = false;
layout(constant_id = 8) const uint TAIL = 0;
layout(constant_id = 9) const uint LIMIT = 0x7f7fffffu; // the largest float
layout(constant_id = 10) const uint UP_OFFSET = 0;
const bool GROUPED = false;
#include "include/expert_product.glsl"
#else
#include "include/matmul.glsl"
#endif

void main() {
  begin();
  const uint lane = lane_index() % TEAM;
  const uint team = gl_WorkGroupID.x * TEAMS + lane_index() / TEAM;
  const uint row = min(team, product_rows() - 1);
  const uint token = gl_WorkGroupID.y;
  float sums[MATRICES];
  [[unroll]] for (uint m = 0; m < MATRICES; m++) sums[m] = 0.0;
  float squares = 0.0;
  const uint from = x_start(token);
  for (uint i = lane; i < x_columns(); i += TEAM) {
    float x = push.x.v[from + i];
    if (NORM) {
      squares += x * x;
      x *= norm_weight(i);
    }
    x *= x_factor(token, i);
    const uint segment = SUM ? i / push.columns : 0;
    [[unroll]] for (uint m = 0; m < MATRICES; m++) {
      const uint weightRow = weight_row(m, row, token, segment);
      sums[m] += decode_one(weights_of(m), weightRow * push.columns + i - segment * push.columns) * x;
    }
  }
  float factor = 1.0;
  if (NORM) factor = norm_factor(team_sum(squares));
  const float gate = factor * team_sum(sums[0]);
  const float up = PAIR ? factor * team_sum(sums[MATRICES - 1]) : 0.0;
  if (lane == 0 && team < product_rows()) finish(gate, up, row, token);
  end(lane_index(), WORKGROUP, token);
}
