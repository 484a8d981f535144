#version 460
// Attention over the KV cache, one pass with a running maximum (https://arxiv.org/abs/2205.14135).
//
// A row is one token with one query head; the `heads / kvHeads` rows of a token that share a key head are neighbours.
// Workgroup (i, h, s): rows from i * ROWS on of key head h, over part s of the positions that they see. Each of its
// subgroups takes SUBGROUP positions at a time: first a lane is a position and computes its scores, reading each key
// once for all rows; then a lane is 8 elements of the output and adds up values. Subgroups meet only at the end, in
// the order of their numbers, so that the result is the same in every run.
//
// Where the positions are split over several workgroups, each leaves its unfinished sum, maximum and sum of weights, and
// the last one to do so joins all of them in the order of the positions.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint HEAD_DIM = 64;
layout(constant_id = 3) const uint VALUE_DIM = 64;
layout(constant_id = 4) const uint ROWS = 1;
layout(constant_id = 5) const uint KEY_TYPE = 1; // see kv_cache.glsl
layout(constant_id = 6) const bool ALIGNED = false; // all widths are multiples of 8 elements
layout(constant_id = 7) const bool CAUSAL = true;
layout(constant_id = 8) const bool ENCODER = false; // keys of an encoder, all visible
// Queries spread over the registers of the lanes, not in shared memory: software devices shuffle in one instruction.
layout(constant_id = 9) const bool IN_REGISTERS = false;
layout(constant_id = 10) const uint VALUE_LANES = 8; // power of two; lanes that share the elements of a value
layout(constant_id = 11) const bool SOFTCAP = false;
layout(constant_id = 12) const bool ALIBI = false;
layout(constant_id = 13) const bool BIAS = false;
layout(constant_id = 14) const bool TEMPERATURE = false;
layout(constant_id = 15) const uint KEY_WIDTH = 64; // elements from one position's keys to the next one's
layout(constant_id = 16) const uint VALUE_WIDTH = 64;
layout(constant_id = 17) const bool UNROLLED = false; // all loads of keys, and of values, start before the first is used
layout(constant_id = 18) const uint VALUE_TYPE = 1;
#include "include/attention.glsl"
#include "include/attention_finish.glsl"
#include "include/kv_cache.glsl"

const uint SUBGROUPS = WORKGROUP / SUBGROUP;
const uint KEY_CHUNKS = (HEAD_DIM + 7) / 8;
const uint VALUE_CHUNKS = (VALUE_DIM + 7) / 8;
const uint CHUNKS_PER_LANE = (VALUE_CHUNKS + VALUE_LANES - 1) / VALUE_LANES;
const uint VALUES_AT_ONCE = SUBGROUP / VALUE_LANES;
const uint QUERY_WORDS = 2 * KEY_CHUNKS; // vec4
const uint QUERY_LOADS = (QUERY_WORDS + SUBGROUP - 1) / SUBGROUP;
const uint PARTS_MAX = 32; // as in src/kernels/attention_plan.ts
const uint LOADS_AT_ONCE = 8;

shared vec4 sharedQueries[IN_REGISTERS ? 1 : ROWS * QUERY_WORDS];
shared float sharedSums[SUBGROUPS * ROWS * VALUE_CHUNKS * 8];
shared float sharedPeaks[SUBGROUPS * ROWS];
shared float sharedTotals[SUBGROUPS * ROWS];
shared float partPeaks[ROWS * PARTS_MAX];
shared float partTotals[ROWS * PARTS_MAX];

// What a lane holds, as globals because passing arrays to functions copies them. Rows differ only in these: nothing in
// the loops below branches per row, as software devices compile each branch and each load into a loop over lanes.
vec4 queries[ROWS][QUERY_LOADS];
uvec2 ranges[ROWS]; // positions that the row sees, from x to before y
float slopes[ROWS];
float weights[ROWS]; // of this lane's position; before the softmax, its scores
float peaks[ROWS];
float totals[ROWS]; // of this lane's positions
vec4 sums[ROWS][CHUNKS_PER_LANE][2];

// Elements 4 word ... of a query, scaled.
vec4 load_query(uint row, uint word) {
  const uint start = token_of(row) * push.qStride + head_of(row) * HEAD_DIM;
  vec4 q;
  [[unroll]] for (uint k = 0; k < 4; k++) {
    const float element = push.q.v[start + min(4 * word + k, HEAD_DIM - 1)];
    q[k] = 4 * word + k < HEAD_DIM ? element : 0.0;
  }
  return q * scale_of(token_of(row));
}

// Chunk `i` of the key, or of the value, of this workgroup's head in a row.
void load_key_chunk(uint64_t row, uint i, out vec4 v[2]) {
  const uint element = gl_WorkGroupID.y * HEAD_DIM + 8 * i;
  if (ALIGNED) load_kv8(row, KEY_TYPE, KEY_WIDTH, element, v);
  else load_kv_part(row, KEY_TYPE, element, HEAD_DIM - min(8 * i, HEAD_DIM), v);
}

void load_value_chunk(uint64_t row, uint i, out vec4 v[2]) {
  const uint element = gl_WorkGroupID.y * VALUE_DIM + 8 * i;
  if (ALIGNED) load_kv8(row, VALUE_TYPE, VALUE_WIDTH, element, v);
  else load_kv_part(row, VALUE_TYPE, element, VALUE_DIM - min(8 * i, VALUE_DIM), v);
}

uint part_start(uint part, uint row) {
  return ((part * push.tokens + token_of(row)) * push.heads + head_of(row)) * (VALUE_DIM + 2);
}

void write_result(uint row, uint i, float sum, float peak, float total) {
  const uint head = head_of(row);
  push.y.v[token_of(row) * push.yStride + head * VALUE_DIM + i] = attention_result(sum, peak, total, push.sinks, head);
}

// Takes element `i` of a row: its weighted sum, the peak of its scores and the sum of its weights.
void finish(uint row, uint i, float sum, float peak, float total) {
  if (row > last_row()) return;
  if (gl_NumWorkGroups.z == 1) {
    write_result(row, i, sum, peak, total);
    return;
  }
  const uint start = part_start(gl_WorkGroupID.z, row);
  push.parts.v[start + i] = sum;
  if (i == 0) {
    push.parts.v[start + VALUE_DIM] = peak;
    push.parts.v[start + VALUE_DIM + 1] = total;
  }
}

// True for the workgroup that is the last of its rows to come here.
bool is_last_part() {
  return draws_last_ticket(push.tickets, gl_WorkGroupID.x * gl_NumWorkGroups.y + gl_WorkGroupID.y, gl_NumWorkGroups.z);
}

// Joins the parts of this workgroup's rows. Peaks and totals come to shared memory first and sums in groups of loads,
// because one load after the other would cost more than the attention itself.
void join_parts(uint firstRow) {
  const uint count = gl_NumWorkGroups.z;
  for (uint i = gl_LocalInvocationIndex; i < ROWS * count; i += WORKGROUP) {
    const uint start = part_start(i % count, firstRow + i / count) + VALUE_DIM;
    partPeaks[i] = push.parts.v[start];
    partTotals[i] = push.parts.v[start + 1];
  }
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < ROWS * VALUE_DIM; i += WORKGROUP) {
    const uint r = i / VALUE_DIM;
    const uint row = firstRow + r;
    if (row > last_row()) return;
    float peak = LOWEST;
    for (uint p = 0; p < count; p++) peak = max(peak, partPeaks[r * count + p]);
    float total = 0.0;
    float sum = 0.0;
    for (uint p = 0; p < count; p += LOADS_AT_ONCE) {
      float values[LOADS_AT_ONCE];
      [[unroll]] for (uint k = 0; k < LOADS_AT_ONCE; k++) {
        values[k] = push.parts.v[part_start(min(p + k, count - 1), row) + i % VALUE_DIM];
      }
      [[unroll]] for (uint k = 0; k < LOADS_AT_ONCE; k++) {
        const uint part = r * count + min(p + k, count - 1);
        const float factor = p + k < count ? exp(partPeaks[part] - peak) : 0.0;
        total += factor * partTotals[part];
        sum += factor * values[k];
      }
    }
    write_result(row, i % VALUE_DIM, sum, peak, total);
  }
}

// Adds the part of each row's dot product that chunk `c` of the key in row `keyRow` gives.
void add_products(uint c, uint64_t keyRow) {
  vec4 k[2];
  load_key_chunk(keyRow, c, k);
  [[unroll]] for (uint h = 0; h < 2; h++) {
    const uint word = 2 * c + h;
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
      vec4 q;
      if (IN_REGISTERS) q = subgroupShuffle(queries[r][word / SUBGROUP], word % SUBGROUP);
      else q = sharedQueries[r * QUERY_WORDS + word];
      weights[r] += dot(q, k[h]);
    }
  }
}

// Adds the values of VALUES_AT_ONCE positions from `start + j` on, with the weights that their lanes hold.
void add_values(uint start, uint j, uint end) {
  const uint lane = gl_SubgroupInvocationID;
  const uint from = j + lane / VALUE_LANES; // the lane whose position this lane works on
  const uint64_t valueRow = kv_row(push.values, VALUE_TYPE, VALUE_WIDTH, min(start + from, end - 1));
  float weight[ROWS];
  [[unroll]] for (uint r = 0; r < ROWS; r++) {
    if (VALUES_AT_ONCE == 1 && !IN_REGISTERS) weight[r] = subgroupBroadcast(weights[r], j);
    else weight[r] = subgroupShuffle(weights[r], from);
  }
  [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
    const uint chunk = min(c * VALUE_LANES + lane % VALUE_LANES, VALUE_CHUNKS - 1);
    vec4 v[2];
    load_value_chunk(valueRow, chunk, v);
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
      sums[r][c][0] += weight[r] * v[0];
      sums[r][c][1] += weight[r] * v[1];
    }
  }
}

void main() {
  const uint lane = gl_SubgroupInvocationID;
  const uint firstRow = gl_WorkGroupID.x * ROWS;

  if (IN_REGISTERS) {
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
      [[unroll]] for (uint l = 0; l < QUERY_LOADS; l++) queries[r][l] = load_query(firstRow + r, l * SUBGROUP + lane);
    }
  } else {
    for (uint i = gl_SubgroupID * SUBGROUP + lane; i < ROWS * QUERY_WORDS; i += WORKGROUP) {
      sharedQueries[i] = load_query(firstRow + i / QUERY_WORDS, i % QUERY_WORDS);
    }
    barrier();
  }

  [[unroll]] for (uint r = 0; r < ROWS; r++) {
    ranges[r] = visible(token_of(firstRow + r));
    if (ALIBI) slopes[r] = push.slopes.v[head_of(firstRow + r)];
    peaks[r] = LOWEST;
    totals[r] = 0.0;
    [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) sums[r][c][0] = sums[r][c][1] = vec4(0.0);
  }

  // This workgroup's share of the positions that any of its rows sees.
  const uint from = ranges[0].x;
  const uint to = ranges[ROWS - 1].y;
  const uint parts = gl_NumWorkGroups.z * SUBGROUP;
  const uint share = (to - from + parts - 1) / parts * SUBGROUP;
  const uint begin = min(from + share * gl_WorkGroupID.z, to);
  const uint end = min(begin + share, to);

  for (uint start = begin + gl_SubgroupID * SUBGROUP; start < end; start += WORKGROUP) {
    const uint position = start + lane;
    const uint64_t keyRow = kv_row(push.keys, KEY_TYPE, KEY_WIDTH, min(position, end - 1));
    [[unroll]] for (uint r = 0; r < ROWS; r++) weights[r] = 0.0;
    if (UNROLLED) [[unroll]] for (uint c = 0; c < KEY_CHUNKS; c++) add_products(c, keyRow);
    else for (uint c = 0; c < KEY_CHUNKS; c++) add_products(c, keyRow);
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
      const bool seen = position >= ranges[r].x && position < min(ranges[r].y, end);
      const float score = score_of(weights[r], firstRow + r, position, slopes[r]);
      const float peak = max(peaks[r], subgroupMax(seen ? score : LOWEST));
      const float factor = exp(peaks[r] - peak);
      weights[r] = seen ? exp(score - peak) : 0.0;
      totals[r] = totals[r] * factor + weights[r];
      peaks[r] = peak;
      [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
        sums[r][c][0] *= factor;
        sums[r][c][1] *= factor;
      }
    }
    if (UNROLLED) [[unroll]] for (uint j = 0; j < SUBGROUP; j += VALUES_AT_ONCE) add_values(start, j, end);
    else for (uint j = 0; j < SUBGROUP; j += VALUES_AT_ONCE) add_values(start, j, end);
  }

  [[unroll]] for (uint r = 0; r < ROWS; r++) {
    totals[r] = subgroupAdd(totals[r]);
    if (subgroupElect()) {
      sharedPeaks[gl_SubgroupID * ROWS + r] = peaks[r];
      sharedTotals[gl_SubgroupID * ROWS + r] = totals[r];
    }
    [[unroll]] for (uint c = 0; c < CHUNKS_PER_LANE; c++) {
      [[unroll]] for (uint b = 0; b < 7; b++) { // counted, so that compilers unroll it
        if (VALUE_LANES << b < SUBGROUP) {
          sums[r][c][0] += subgroupShuffleXor(sums[r][c][0], VALUE_LANES << b);
          sums[r][c][1] += subgroupShuffleXor(sums[r][c][1], VALUE_LANES << b);
        }
      }
      const uint chunk = c * VALUE_LANES + lane;
      if (lane < VALUE_LANES && chunk < VALUE_CHUNKS) {
        const uint start = ((gl_SubgroupID * ROWS + r) * VALUE_CHUNKS + chunk) * 8;
        [[unroll]] for (uint k = 0; k < 8; k++) sharedSums[start + k] = sums[r][c][k / 4][k % 4];
      }
    }
  }
  barrier();
  for (uint i = gl_SubgroupID * SUBGROUP + lane; i < ROWS * VALUE_DIM; i += WORKGROUP) {
    const uint r = i / VALUE_DIM;
    float peak = LOWEST;
    for (uint s = 0; s < SUBGROUPS; s++) peak = max(peak, sharedPeaks[s * ROWS + r]);
    float total = 0.0;
    float sum = 0.0;
    for (uint s = 0; s < SUBGROUPS; s++) {
      const float factor = exp(sharedPeaks[s * ROWS + r] - peak);
      total += factor * sharedTotals[s * ROWS + r];
      sum += factor * sharedSums[(s * ROWS + r) * VALUE_CHUNKS * 8 + i % VALUE_DIM];
    }
    finish(firstRow + r, i % VALUE_DIM, sum, peak, total);
  }
  if (gl_NumWorkGroups.z > 1 && is_last_part()) join_parts(firstRow);
}
