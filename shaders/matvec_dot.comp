#version 460
// Matrix times a few vectors on GPUs that multiply packed bytes: x is brought to 16-bit fixed point, and a dot product
// becomes two integer ones per 32 bits of quants (include/fixed_point.glsl).
//
// A row is cut into SLICES slices of TEAM groups; a group is what a lane multiplies at once (a format's own piece, see
// dots/). A lane has the same columns in every row, so that a single token's x stays in its registers. SLICES teams share
// ROWS rows at a time, a tile of the workgroup has those of all its teams. The sums of a chunk of tiles meet in shared
// memory, where each output gets a lane of its own.
//
// What a GPU's memory needs is loads in flight: the first weights are asked for before x is prepared, and the next ones as
// soon as the present ones are unpacked. A workgroup has SHARE tiles, so that x is prepared once for many rows.
#extension GL_GOOGLE_include_directive : require
#include "dots.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint TEAM = 32; // at most a subgroup
layout(constant_id = 3) const uint ROWS = 1;
layout(constant_id = 4) const uint TOKENS = 1;
layout(constant_id = 5) const uint SLICES = 1; // SLICES * TEAM divides WORKGROUP
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
#elif defined(ROUTER)
layout(constant_id = 20) const uint EXPERTS = 1;
layout(constant_id = 21) const uint USED = 1;
layout(constant_id = 22) const uint SCORING = 0;
layout(constant_id = 23) const uint GROUPS = 1;
layout(constant_id = 24) const uint GROUPS_USED = 1;
layout(constant_id = 25) const bool BEST_TWO = false;
layout(constant_id = 26) const bool RENORMALIZE = false;
#include "include/router_product.glsl"
#else
#include "include/matmul.glsl"
#endif
layout(constant_id = 15) const bool ALIGNED = false; // whether every row of x starts at a multiple of 16 bytes
layout(constant_id = 16) const uint SHARE = 1; // tiles of a workgroup
layout(constant_id = 17) const uint CHUNK = 1; // tiles whose sums are in shared memory at a time
layout(constant_id = 18) const bool PARTED = false; // whether x is longer than SLICES * TEAM groups: then it comes in parts

const uint TILE_ROWS = WORKGROUP / TEAM / SLICES * ROWS;
const uint STREAMS = MATRICES * ROWS; // of weights that a team reads
const uint VALUES = STREAMS * TOKENS; // its sums
// Of all sums over a team a lane gets KEPT, or with SHARERS lanes together the same one.
const uint KEPT = VALUES > TEAM ? VALUES / TEAM : 1;
const uint SHARERS = VALUES > TEAM ? 1 : TEAM / VALUES;
// Streams that are unpacked before any is multiplied, so that what is read from shared memory serves all of them.
const uint TOGETHER = TOKENS == 1 ? 1 : STREAMS;

uint team_lane() { return lane_index() % TEAM; }
uint slice() { return lane_index() / TEAM % SLICES; }
uint groups_per_row() { return push.columns / GROUP; }
uint row_groups() { return x_columns() / GROUP; } // of one row of the product
uint column_group(uint part) { return (part * SLICES + slice()) * TEAM + team_lane(); } // of this lane
uint first_row(uint tile) { return tile * TILE_ROWS + lane_index() / TEAM / SLICES * ROWS; } // of this team

#ifdef FLOATING
#include "include/floating_point.glsl"
#else
#include "include/fixed_point.glsl"
#endif
#include "include/prepare_x.glsl"

shared float partials[CHUNK * TILE_ROWS * TOKENS * MATRICES * SLICES]; // sums of a chunk of rows by slices

uint partial_index(uint row, uint t, uint m, uint slice) {
  return ((row * TOKENS + t) * MATRICES + m) * SLICES + slice;
}

// Where the work is: tile `tile` of the chunk that begins with tile `chunk`, part `part` of the columns.
struct Place {
  uint chunk;
  uint part;
  uint tile;
};

// Tile by tile through a chunk, once for each part of the columns, then on to the next chunk.
Place place_after(Place at, uint endTile) {
  at.tile++;
  if (at.tile < min(at.chunk + CHUNK, endTile)) return at;
  at.part++;
  if (!PARTED || at.part * SLICES * TEAM >= row_groups()) {
    at.part = 0;
    at.chunk += CHUNK;
  }
  at.tile = at.chunk;
  return at;
}

// Asks for the weights of stream `s`, a row of a matrix. Where there is nothing to read, group 0 of the weight serves: it is in
// the cache, and x is 0 there or the product is not looked at.
Quants fetch(Place at, uint s, bool wanted) {
  const uint column = min(column_group(at.part), row_groups() - 1);
  const uint segment = SUM ? column / groups_per_row() : 0;
  const uint row = weight_row(s / ROWS, min(first_row(at.tile) + s % ROWS, product_rows() - 1), first_token(), segment);
  const uint group = row * groups_per_row() + (column - segment * groups_per_row());
  return load_group(weights_of(s / ROWS), wanted && column_group(at.part) < row_groups() ? group : 0);
}

// Adds up each value over the lanes of a team: with each exchange, half of the lanes go on with half of the values.
void sum_values(inout float values[VALUES]) {
  [[unroll]] for (uint e = 1; e <= 7; e++) { // a team has at most 2^7 lanes
    const uint step = TEAM >> e;
    const uint n = VALUES >> e; // values after the exchange
    if (step > 0 && n > 0) {
      const bool upper = (team_lane() & step) != 0;
      [[unroll]] for (uint i = 0; i < n; i++) {
        const float kept = upper ? values[i + n] : values[i];
        const float given = upper ? values[i] : values[i + n];
        values[i] = kept + subgroupShuffleXor(given, step);
      }
    } else if (step > 0) {
      values[0] += subgroupShuffleXor(values[0], step);
    }
  }
}

// Puts the sums of a tile where the chunk's are.
void store_sums(Place at, float sums[VALUES]) {
  if (team_lane() % SHARERS != 0) return;
  [[unroll]] for (uint i = 0; i < KEPT; i++) {
    const uint value = team_lane() / SHARERS * KEPT + i;
    const uint row = first_row(at.tile) - at.chunk * TILE_ROWS + value % ROWS;
    const uint index = partial_index(row, value / STREAMS, value / ROWS % MATRICES, slice());
    partials[index] = sums[i] + (PARTED && at.part > 0 ? partials[index] : 0.0);
  }
}

// Writes the outputs of `tiles` tiles from tile `chunk` on.
void finish_chunk(uint chunk, uint tiles) {
  for (uint i = lane_index(); i < tiles * TILE_ROWS * TOKENS; i += WORKGROUP) {
    const uint t = i / (tiles * TILE_ROWS);
    const uint local = i - t * (tiles * TILE_ROWS);
    const uint row = chunk * TILE_ROWS + local;
    if (row >= product_rows() || first_token() + t >= token_count()) continue;
    float sums[MATRICES];
    [[unroll]] for (uint m = 0; m < MATRICES; m++) {
      sums[m] = 0.0;
      [[unroll]] for (uint s = 0; s < SLICES; s++) sums[m] += partials[partial_index(local, t, m, s)];
    }
    const float factor = NORM ? norm_factor(sum_of_squares(t)) : 1.0;
    finish(factor * sums[0], factor * sums[MATRICES - 1], row, first_token() + t);
  }
}

void main() {
  begin();
  const uint firstTile = gl_WorkGroupID.x * SHARE;
  const uint endTile = min((product_rows() + TILE_ROWS - 1) / TILE_ROWS, firstTile + SHARE);
  if (first_token() >= token_count() || firstTile >= endTile) return;

  vec4 x[BATCH][2];
  vec4 normWeights[BATCH][2];
  load_batch(0, lane_index(), 0, x, normWeights);
  Place at = Place(firstTile, 0, firstTile);
  Quants quants[STREAMS];
  [[unroll]] for (uint s = 0; s < STREAMS; s++) quants[s] = fetch(at, s, true);
  float squares[TOKENS];
  [[unroll]] for (uint t = 0; t < TOKENS; t++) squares[t] = 0.0;
  if (!PARTED) {
    prepare_x(0, x, normWeights, squares);
    barrier();
    load_own(slice(), team_lane());
    if (NORM) share_squares(squares);
  }
  while (true) {
    if (PARTED && at.tile == at.chunk) {
      if (at.chunk > firstTile || at.part > 0) load_batch(at.part, lane_index(), 0, x, normWeights);
      barrier(); // the previous part of x has been read
      prepare_x(at.part, x, normWeights, squares);
      barrier();
      load_own(slice(), team_lane());
    }
    const Place next = place_after(at, endTile);
    float sums[VALUES];
    [[unroll]] for (uint i = 0; i < VALUES; i++) sums[i] = 0.0;
    [[unroll]] for (uint s = 0; s < STREAMS; s += TOGETHER) {
      uint q[TOGETHER][WORDS];
      vec2 terms[TOGETHER][SUBS];
      [[unroll]] for (uint i = 0; i < TOGETHER; i++) {
        unpack(quants[s + i], column_group(at.part), q[i], terms[i]);
        quants[s + i] = fetch(next, s + i, next.chunk < endTile);
      }
      multiply(q, terms, s, sums);
    }
    sum_values(sums);
    store_sums(at, sums);
    if (next.chunk != at.chunk) {
      if (NORM && PARTED && at.chunk == firstTile) share_squares(squares);
      barrier();
      finish_chunk(at.chunk, min(CHUNK, endTile - at.chunk));
      if (next.chunk >= endTile) break;
      barrier(); // the sums have been read
    }
    at = next;
  }
  end(lane_index(), WORKGROUP, first_token());
}
