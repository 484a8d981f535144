#version 460
// Attention of many tokens on matrix units (https://arxiv.org/abs/2307.08691): a tile of keys and values in shared memory serves
// ROWS rows of queries, M of them per subgroup. Products with keys and with values are made in fragments of M x N x K
// elements of float16, added up in float32. In between, scores pass through shared memory, where LANES lanes take a row.
// Workgroup (i, h, v): rows of key head h, from the last to the first, as these have the least to do; elements of the
// values from v * VALUE_PART on. Values are cut where the sums would take more registers than there are; each part finds the
// weights for itself.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint M = 16; // of a fragment: rows, columns, elements of a sum
layout(constant_id = 3) const uint N = 16;
layout(constant_id = 4) const uint K = 16;
layout(constant_id = 5) const uint HEAD_DIM = 64; // these two are multiples of N and K
layout(constant_id = 6) const uint VALUE_PART = 64;
layout(constant_id = 7) const uint VALUE_DIM = 64;
layout(constant_id = 8) const uint POSITIONS = 32; // of a tile
layout(constant_id = 9) const bool CAUSAL = true;
layout(constant_id = 10) const bool ENCODER = false;
layout(constant_id = 11) const bool SOFTCAP = false;
layout(constant_id = 12) const bool ALIBI = false;
layout(constant_id = 13) const bool BIAS = false;
layout(constant_id = 14) const bool TEMPERATURE = false;
layout(constant_id = 15) const uint KEY_WIDTH = 64; // elements from one position's keys to the next one's
layout(constant_id = 16) const uint VALUE_WIDTH = 64;
layout(constant_id = 17) const uint KEY_TYPE = 1; // see kv_cache.glsl
layout(constant_id = 18) const uint VALUE_TYPE = 1;
#include "include/attention.glsl"
#include "include/attention_finish.glsl"
#include "include/kv_cache.glsl"

const uint SUBGROUPS = WORKGROUP / SUBGROUP;
const uint ROWS = SUBGROUPS * M;
const uint LANES = SUBGROUP / M;
const uint SCORES_PER_LANE = POSITIONS / LANES; // a multiple of 8
const uint ELEMENTS_PER_LANE = N / LANES;
const uint KEY_FRAGMENTS = HEAD_DIM / K;
const uint VALUE_FRAGMENTS = VALUE_PART / N;
// Strides in 16-byte words, one of them padding, which spreads columns over the banks.
const uint KEY_STRIDE = HEAD_DIM / 8 + 1;
const uint VALUE_STRIDE = VALUE_PART / 8 + 1;
const uint SCORE_STRIDE = POSITIONS / 4 + 1;
const uint WEIGHT_STRIDE = POSITIONS / 8 + 1;
const uint KEY_LOADS = (POSITIONS * HEAD_DIM / 8 + WORKGROUP - 1) / WORKGROUP;
const uint VALUE_LOADS = (POSITIONS * VALUE_PART / 8 + WORKGROUP - 1) / WORKGROUP;
const uint VALUES_START = POSITIONS * KEY_STRIDE;
const uint TILE_WORDS = VALUES_START + POSITIONS * VALUE_STRIDE;

// Words of 16 bytes: fragments are read so many aligned bytes at a time, and arrays of smaller words may lie anywhere.
shared uvec4 tile[ROWS * KEY_STRIDE > TILE_WORDS ? ROWS * KEY_STRIDE : TILE_WORDS]; // first the queries, then keys and values
shared vec4 scores[ROWS * SCORE_STRIDE];
shared uvec4 weights[ROWS * WEIGHT_STRIDE];

// The next tile, in this lane's registers.
uvec4 nextKeys[KEY_LOADS];
uvec4 nextValues[VALUE_LOADS];

uint lane_index() { return gl_SubgroupID * SUBGROUP + gl_SubgroupInvocationID; }
uint first_row() { return (gl_NumWorkGroups.x - 1 - gl_WorkGroupID.x) * ROWS; }
uint lane_part() { return gl_SubgroupInvocationID % LANES; }
// The row of this lane among those of the workgroup.
uint lane_row() { return gl_SubgroupID * M + gl_SubgroupInvocationID / LANES; }

void store_queries() {
  for (uint i = lane_index(); i < ROWS * HEAD_DIM / 8; i += WORKGROUP) {
    const uint row = i / (HEAD_DIM / 8);
    const uint start = token_of(first_row() + row) * push.qStride + head_of(first_row() + row) * HEAD_DIM + i % (HEAD_DIM / 8) * 8;
    uvec4 word;
    [[unroll]] for (uint k = 0; k < 4; k++) word[k] = two_halfs(push.q.v[start + 2 * k], push.q.v[start + 2 * k + 1]);
    tile[row * KEY_STRIDE + i % (HEAD_DIM / 8)] = word;
  }
}

// Positions from `end` on repeat the last one, whose values are finite.
void fetch(uint start, uint end) {
  [[unroll]] for (uint l = 0; l < KEY_LOADS; l++) {
    const uint i = l * WORKGROUP + lane_index();
    const uint64_t row = kv_row(push.keys, KEY_TYPE, KEY_WIDTH, min(start + i / (HEAD_DIM / 8), end - 1));
    nextKeys[l] = load_kv8_f16(row, KEY_TYPE, KEY_WIDTH, gl_WorkGroupID.y * HEAD_DIM + i % (HEAD_DIM / 8) * 8);
  }
  [[unroll]] for (uint l = 0; l < VALUE_LOADS; l++) {
    const uint i = l * WORKGROUP + lane_index();
    const uint64_t row = kv_row(push.values, VALUE_TYPE, VALUE_WIDTH, min(start + i / (VALUE_PART / 8), end - 1));
    const uint element = gl_WorkGroupID.y * VALUE_DIM + gl_WorkGroupID.z * VALUE_PART + i % (VALUE_PART / 8) * 8;
    nextValues[l] = load_kv8_f16(row, VALUE_TYPE, VALUE_WIDTH, element);
  }
}

void store_tile() {
  [[unroll]] for (uint l = 0; l < KEY_LOADS; l++) {
    const uint i = l * WORKGROUP + lane_index();
    if (i < POSITIONS * HEAD_DIM / 8) tile[i / (HEAD_DIM / 8) * KEY_STRIDE + i % (HEAD_DIM / 8)] = nextKeys[l];
  }
  [[unroll]] for (uint l = 0; l < VALUE_LOADS; l++) {
    const uint i = l * WORKGROUP + lane_index();
    if (i < POSITIONS * VALUE_PART / 8) {
      tile[VALUES_START + i / (VALUE_PART / 8) * VALUE_STRIDE + i % (VALUE_PART / 8)] = nextValues[l];
    }
  }
}

// Largest value, or sum, of the lanes that share a row.
float row_max(float value) {
  [[unroll]] for (uint step = 1; step < LANES; step *= 2) value = max(value, subgroupShuffleXor(value, step));
  return value;
}
float row_sum(float value) {
  [[unroll]] for (uint step = 1; step < LANES; step *= 2) value += subgroupShuffleXor(value, step);
  return value;
}

// Fragments are only touched here: drivers may lose those that are not local variables of one function.
void main() {
  const uint subgroupRow = gl_SubgroupID * M;
  const uint row = first_row() + lane_row();
  const uvec2 range = visible(token_of(row));
  const float scale = scale_of(token_of(row));
  float slope = 0.0;
  if (ALIBI) slope = push.slopes.v[head_of(row)];
  const uint begin = visible(token_of(first_row())).x;
  const uint end = visible(token_of(first_row() + ROWS - 1)).y;

  store_queries();
  barrier();
  coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> queries[KEY_FRAGMENTS];
  [[unroll]] for (uint k = 0; k < KEY_FRAGMENTS; k++) {
    coopMatLoad(queries[k], tile, subgroupRow * KEY_STRIDE + k * K / 8, KEY_STRIDE, gl_CooperativeMatrixLayoutRowMajor);
  }
  coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> sums[VALUE_FRAGMENTS];
  [[unroll]] for (uint v = 0; v < VALUE_FRAGMENTS; v++) {
    sums[v] = coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
  }
  float peak = LOWEST;
  float total = 0.0; // of this lane's positions

  if (begin < end) fetch(begin, end);
  for (uint start = begin; start < end; start += POSITIONS) {
    barrier(); // the previous tile has been read
    store_tile();
    barrier();
    fetch(start + POSITIONS, end);

    [[unroll]] for (uint p = 0; p < POSITIONS; p += N) {
      coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> products =
        coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
      [[unroll]] for (uint k = 0; k < KEY_FRAGMENTS; k++) {
        coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> keys;
        coopMatLoad(keys, tile, p * KEY_STRIDE + k * K / 8, KEY_STRIDE, gl_CooperativeMatrixLayoutColumnMajor);
        products = coopMatMulAdd(queries[k], keys, products);
      }
      coopMatStore(products, scores, subgroupRow * SCORE_STRIDE + p / 4, SCORE_STRIDE, gl_CooperativeMatrixLayoutRowMajor);
    }
    subgroupBarrier();

    const uint firstPosition = start + lane_part() * SCORES_PER_LANE;
    const uint firstScore = lane_row() * SCORE_STRIDE + lane_part() * SCORES_PER_LANE / 4;
    float lane[SCORES_PER_LANE];
    float highest = LOWEST;
    [[unroll]] for (uint i = 0; i < SCORES_PER_LANE; i++) {
      const uint position = firstPosition + i;
      const bool seen = position >= range.x && position < range.y;
      lane[i] = seen ? score_of(scores[firstScore + i / 4][i % 4] * scale, row, position, slope) : LOWEST;
      highest = max(highest, lane[i]);
    }
    highest = max(peak, row_max(highest));
    const float factor = exp(peak - highest);
    peak = highest;
    total *= factor;
    [[unroll]] for (uint i = 0; i < SCORES_PER_LANE; i++) {
      lane[i] = lane[i] == LOWEST ? 0.0 : exp(lane[i] - peak);
      total += lane[i];
    }
    [[unroll]] for (uint i = 0; i < SCORES_PER_LANE; i += 8) {
      uvec4 word;
      [[unroll]] for (uint k = 0; k < 4; k++) word[k] = two_halfs(lane[i + 2 * k], lane[i + 2 * k + 1]);
      weights[lane_row() * WEIGHT_STRIDE + (lane_part() * SCORES_PER_LANE + i) / 8] = word;
    }

    // A peak that rises shrinks what has been added up: every element of a fragment by the factor of its row.
    subgroupBarrier(); // the scores have been read
    [[unroll]] for (uint c = lane_part(); c < N / 4; c += LANES) scores[lane_row() * SCORE_STRIDE + c] = vec4(factor);
    subgroupBarrier();
    if (subgroupAny(factor < 1.0)) {
      coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> factors;
      coopMatLoad(factors, scores, subgroupRow * SCORE_STRIDE, SCORE_STRIDE, gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint v = 0; v < VALUE_FRAGMENTS; v++) {
        [[unroll]] for (uint e = 0; e < factors.length(); e++) sums[v][e] *= factors[e];
      }
    }
    [[unroll]] for (uint p = 0; p < POSITIONS; p += K) {
      coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> shares;
      coopMatLoad(shares, weights, subgroupRow * WEIGHT_STRIDE + p / 8, WEIGHT_STRIDE, gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint v = 0; v < VALUE_FRAGMENTS; v++) {
        coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> values;
        const uint from = VALUES_START + p * VALUE_STRIDE + v * N / 8;
        coopMatLoad(values, tile, from, VALUE_STRIDE, gl_CooperativeMatrixLayoutRowMajor);
        sums[v] = coopMatMulAdd(shares, values, sums[v]);
      }
    }
    subgroupBarrier(); // weights and factors have been read
  }

  total = row_sum(total);
  [[unroll]] for (uint v = 0; v < VALUE_FRAGMENTS; v++) {
    coopMatStore(sums[v], scores, subgroupRow * SCORE_STRIDE, SCORE_STRIDE, gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    if (row <= last_row()) {
      const uint first = lane_part() * ELEMENTS_PER_LANE;
      const uint to = token_of(row) * push.yStride + head_of(row) * VALUE_DIM + gl_WorkGroupID.z * VALUE_PART + v * N + first;
      [[unroll]] for (uint e = 0; e < ELEMENTS_PER_LANE; e++) {
        const float sum = scores[lane_row() * SCORE_STRIDE + (first + e) / 4][(first + e) % 4];
        push.y.v[to + e] = attention_result(sum, peak, total, push.sinks, head_of(row));
      }
    }
    subgroupBarrier();
  }
}
