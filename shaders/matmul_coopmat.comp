#version 460
// Matrix times many vectors on matrix units. Tiles of both operands are brought into shared memory as float16; there each
// subgroup multiplies its part of the tile in fragments of M x N x K, and adds up in float32.
// Workgroup (i, j): TOKENS rows of x times ROWS_PER_MATRIX rows of the matrix. With PAIR each subgroup's part has rows of
// both matrices, so that what belongs together meets in one subgroup.
//
// Float16 ends at 65504 and loses bits below 2^-14. A workgroup notes the largest |x| of each token on its way; where that
// was out of range for any of its tokens, it starts over with those tokens scaled by powers of two, which the end takes back.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#include "format.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint M = 16; // of a fragment: rows, tokens, columns
layout(constant_id = 3) const uint N = 16;
layout(constant_id = 4) const uint K = 16;
layout(constant_id = 5) const uint TILE_ROWS = 128;
layout(constant_id = 6) const uint TOKENS = 128;
layout(constant_id = 7) const uint TILE_COLUMNS = 32;
layout(constant_id = 8) const uint PART_ROWS = 64; // of a tile, for one subgroup
layout(constant_id = 9) const uint PART_TOKENS = 64;
layout(constant_id = 10) const uint BUFFERS = 2; // tiles in shared memory; with two, one is filled while the other is read
layout(constant_id = 11) const uint ACTIVATION = 0;
layout(constant_id = 12) const bool PAIR = false;
layout(constant_id = 13) const bool ALIGNED = false;
const bool NORM = false;
#include "include/matmul_tiles.glsl"

const uint PART_ROWS_PER_MATRIX = PART_ROWS / MATRICES;
const uint STRIDE = TILE_COLUMNS / 8 + 1; // vec4 words; the 16 bytes of padding spread a column over the banks
const uint ROW_FRAGMENTS = PART_ROWS / M;
const uint TOKEN_FRAGMENTS = PART_TOKENS / N;
const uint ELEMENTS_PER_LANE = M * N / SUBGROUP;
const float LARGEST = 65504.0; // of float16
const float SMALL = 0.000244140625; // 2^-12: below, float16 has fewer bits

// Words of 16 bytes: fragments are read so many aligned bytes at a time, and arrays of smaller words may lie anywhere.
shared uvec4 weightTiles[BUFFERS * TILE_ROWS * STRIDE];
shared uvec4 inputTiles[BUFFERS * TOKENS * STRIDE];
shared float finished[WORKGROUP / SUBGROUP * M * N];
shared uint tokenPeaks[TOKENS + 4]; // bits of the largest |x|, which sort as the numbers do; then 1 if one was out of range

// The next tile, in this lane's registers.
f16vec4 nextWeights[WEIGHT_LOADS][CHUNK / 4];
f16vec4 nextInputs[INPUT_LOADS][2];
float inputPeaks[INPUT_LOADS];
float inputScales[INPUT_LOADS];

uint lane_index() { return gl_SubgroupID * SUBGROUP + gl_SubgroupInvocationID; }

bool in_range(float peak) { return peak == 0.0 || peak >= SMALL && peak <= LARGEST; }

// What brings a token with this peak into range: 1, or a power of two that makes it 2^14 to 2^15.
float scale_for(uint peakBits) {
  const uint exponent = max(peakBits >> 23, 15); // so that the scale is finite
  return in_range(uintBitsToFloat(peakBits)) ? 1.0 : uintBitsToFloat(2 * 127 + 14 - exponent << 23);
}

void fetch_weights(uint start) {
  [[unroll]] for (uint l = 0; l < WEIGHT_LOADS; l++) {
    float v[CHUNK];
    const bool exists = load_weights(l * WORKGROUP + lane_index(), start, v);
    [[unroll]] for (uint k = 0; k < CHUNK / 4; k++) {
      const f16vec4 rounded = f16vec4(vec4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]));
      nextWeights[l][k] = exists ? clamp(rounded, f16vec4(-LARGEST), f16vec4(LARGEST)) : f16vec4(0.0);
    }
  }
}

void fetch_inputs(uint start) {
  [[unroll]] for (uint l = 0; l < INPUT_LOADS; l++) {
    vec4 v[2];
    load_inputs(l * WORKGROUP + lane_index(), start, v);
    const vec4 largest = max(abs(v[0]), abs(v[1]));
    inputPeaks[l] = max(inputPeaks[l], max(max(largest.x, largest.y), max(largest.z, largest.w)));
    nextInputs[l][0] = f16vec4(v[0] * inputScales[l]);
    nextInputs[l][1] = f16vec4(v[1] * inputScales[l]);
  }
}

void fetch(uint start) {
  fetch_weights(start);
  fetch_inputs(start);
}

uvec4 pack(f16vec4 a, f16vec4 b) { return uvec4(packFloat2x16(a.xy), packFloat2x16(a.zw), packFloat2x16(b.xy), packFloat2x16(b.zw)); }

void store(uint slot) {
  [[unroll]] for (uint l = 0; l < WEIGHT_LOADS; l++) {
    const uint i = l * WORKGROUP + lane_index();
    if (!in_tile(i, TILE_ROWS * CHUNKS)) break;
    const uint to = (slot * TILE_ROWS + i / CHUNKS) * STRIDE + i % CHUNKS * (CHUNK / 8);
    [[unroll]] for (uint k = 0; k < CHUNK / 8; k++) weightTiles[to + k] = pack(nextWeights[l][2 * k], nextWeights[l][2 * k + 1]);
  }
  [[unroll]] for (uint l = 0; l < INPUT_LOADS; l++) {
    const uint i = l * WORKGROUP + lane_index();
    if (!in_tile(i, TOKENS * PIECES)) break;
    const uint to = (slot * TOKENS + i / PIECES) * STRIDE + i % PIECES;
    inputTiles[to] = pack(nextInputs[l][0], nextInputs[l][1]);
  }
}

// Where this subgroup's part of the tile starts.
uint part_token() { return gl_SubgroupID % (TOKENS / PART_TOKENS) * PART_TOKENS; }
uint part_row() { return gl_SubgroupID / (TOKENS / PART_TOKENS) * PART_ROWS_PER_MATRIX; }
// Row of the tile where fragment `i` of this subgroup starts: first those of one matrix, then those of the other.
uint fragment_row(uint i) {
  const uint perMatrix = ROW_FRAGMENTS / MATRICES;
  return i / perMatrix * ROWS_PER_MATRIX + part_row() + i % perMatrix * M;
}

// Whether a token of this tile was out of range; then `inputScales` are what the next attempt needs.
bool rescaled() {
  for (uint t = lane_index(); t <= TOKENS; t += WORKGROUP) tokenPeaks[t] = 0;
  barrier();
  [[unroll]] for (uint l = 0; l < INPUT_LOADS; l++) {
    const uint i = l * WORKGROUP + lane_index();
    if (!in_tile(i, TOKENS * PIECES)) break;
    atomicMax(tokenPeaks[i / PIECES], floatBitsToUint(inputPeaks[l]));
  }
  barrier();
  [[unroll]] for (uint l = 0; l < INPUT_LOADS; l++) {
    const uint peak = tokenPeaks[min((l * WORKGROUP + lane_index()) / PIECES, TOKENS - 1)];
    inputScales[l] = scale_for(peak);
    if (!in_range(uintBitsToFloat(peak))) tokenPeaks[TOKENS] = 1;
  }
  barrier();
  return tokenPeaks[TOKENS] != 0;
}

// Where this subgroup puts a fragment of sums, so that its lanes know which elements they have.
uint finished_start() { return gl_SubgroupID * M * N; }

void read_finished(out float v[ELEMENTS_PER_LANE]) {
  subgroupBarrier();
  [[unroll]] for (uint e = 0; e < ELEMENTS_PER_LANE; e++) {
    v[e] = finished[finished_start() + e * SUBGROUP + gl_SubgroupInvocationID];
  }
  subgroupBarrier(); // the next fragment may come
}

// Fragments are only touched here: drivers lose those that are not local variables of one function.
void main() {
  coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> sums[ROW_FRAGMENTS * TOKEN_FRAGMENTS];
  [[unroll]] for (uint l = 0; l < INPUT_LOADS; l++) {
    inputPeaks[l] = 0.0;
    inputScales[l] = 1.0;
  }
  const uint tiles = (push.columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  for (uint attempt = 0; attempt < 2; attempt++) {
    [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS * TOKEN_FRAGMENTS; i++) {
      sums[i] = coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
    }
    fetch(0);
    store(0);
    barrier();
    for (uint tile = 0; tile < tiles; tile++) {
      const uint slot = tile % BUFFERS;
      fetch(min(tile + 1, tiles - 1) * TILE_COLUMNS); // the last one twice rather than a branch, so that loads overlap products
      [[unroll]] for (uint k = 0; k < TILE_COLUMNS; k += K) {
        coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> a[ROW_FRAGMENTS];
        [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS; i++) {
          const uint from = (slot * TILE_ROWS + fragment_row(i)) * STRIDE + k / 8;
          coopMatLoad(a[i], weightTiles, from, STRIDE, gl_CooperativeMatrixLayoutRowMajor);
        }
        [[unroll]] for (uint t = 0; t < TOKEN_FRAGMENTS; t++) {
          coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> b;
          const uint from = (slot * TOKENS + part_token() + t * N) * STRIDE + k / 8;
          coopMatLoad(b, inputTiles, from, STRIDE, gl_CooperativeMatrixLayoutColumnMajor);
          [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS; i++) {
            sums[t * ROW_FRAGMENTS + i] = coopMatMulAdd(a[i], b, sums[t * ROW_FRAGMENTS + i]);
          }
        }
      }
      if (BUFFERS == 1) barrier(); // the tile has been read
      store((tile + 1) % BUFFERS);
      barrier();
    }
    if (!rescaled()) break;
  }
  [[unroll]] for (uint i = 0; i < ROW_FRAGMENTS / MATRICES; i++) {
    [[unroll]] for (uint t = 0; t < TOKEN_FRAGMENTS; t++) {
      float gates[ELEMENTS_PER_LANE];
      float ups[ELEMENTS_PER_LANE];
      coopMatStore(sums[t * ROW_FRAGMENTS + i], finished, finished_start(), M, gl_CooperativeMatrixLayoutColumnMajor);
      read_finished(gates);
      if (PAIR) {
        const uint up = t * ROW_FRAGMENTS + ROW_FRAGMENTS / MATRICES + i;
        coopMatStore(sums[up], finished, finished_start(), M, gl_CooperativeMatrixLayoutColumnMajor);
        read_finished(ups);
      }
      [[unroll]] for (uint e = 0; e < ELEMENTS_PER_LANE; e++) {
        const uint element = e * SUBGROUP + gl_SubgroupInvocationID;
        const uint row = weight_of_tile_row(fragment_row(i) + element % M);
        const uint tileToken = part_token() + t * N + element / M;
        const uint token = tile_token() + tileToken;
        const float factor = 1.0 / scale_for(tokenPeaks[tileToken]);
        if (row < push.rows && token < push.tokens) finish(factor * gates[e], PAIR ? factor * ups[e] : 0.0, row, token);
      }
    }
  }
}
