#version 460
// Matrix times matrix for prompts, on devices that multiply tiles of float16 matrices in hardware
// (VK_KHR_cooperative_matrix), adding up in float32. A workgroup computes a tile of y; each of its subgroups a part of
// ROW_TILES x TOKEN_TILES hardware tiles. In steps of 32 columns the workgroup decodes the tile of the weight and copies
// that of x, which half_rows.comp has prepared, into shared memory.
// Workgroup (i, j): tile i of the weight's rows, tile j of the tokens.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model
#include "format.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint M = 16; // the hardware's tile: M rows of the weight, N tokens, K columns
layout(constant_id = 3) const uint N = 16;
layout(constant_id = 4) const uint K = 16;
layout(constant_id = 5) const uint ROW_TILES = 4;
layout(constant_id = 6) const uint TOKEN_TILES = 2;
layout(constant_id = 7) const uint ROW_SUBGROUPS = 2; // subgroups side by side along the rows; the others along the tokens
layout(constant_id = 8) const uint ACTIVATION = 0;
layout(constant_id = 9) const bool PAIR = false;
const bool NORM = false;
const uint SUBGROUPS = WORKGROUP / SUBGROUP;
const uint TOKENS = SUBGROUPS / ROW_SUBGROUPS * TOKEN_TILES * N;
#include "include/half_rows.glsl"
#include "include/matmul.glsl"

const uint ROWS = ROW_SUBGROUPS * ROW_TILES * M;
const uint COLUMNS = 32;
const uint STRIDE = COLUMNS / 4 + 2; // f16vec4 words of a row in shared memory: 16 bytes of padding keep the banks apart

shared f16vec4 weightTile[MATRICES * ROWS * STRIDE];
shared f16vec4 xTile[TOKENS * STRIDE];
shared float results[SUBGROUPS * MATRICES * M * N];

// Decodes columns `start` ... of the workgroup's rows.
void load_weights(uint start) {
  const uint chunksPerRow = push.columns / CHUNK;
  const uint chunks = COLUMNS / CHUNK; // of a row of the tile
  for (uint i = gl_LocalInvocationIndex; i < MATRICES * ROWS * chunks; i += WORKGROUP) {
    const uint row = i / chunks; // of the first matrix, then of the second
    const uint chunk = start / CHUNK + i % chunks;
    const uint weightRow = min(gl_WorkGroupID.x * ROWS + row % ROWS, push.rows - 1);
    float v[CHUNK];
    decode_chunk(weights_of(row / ROWS), weightRow * chunksPerRow + min(chunk, chunksPerRow - 1), v);
    [[unroll]] for (uint k = 0; k < CHUNK; k += 4) {
      const vec4 word = clamp(vec4(v[k], v[k + 1], v[k + 2], v[k + 3]), -65504.0, 65504.0);
      weightTile[row * STRIDE + (i % chunks * CHUNK + k) / 4] = f16vec4(word);
    }
  }
}

// Copies columns `start` ... of the workgroup's tokens; columns beyond the last are zeros there.
void load_x(uint start, uint64_t rows) {
  for (uint i = gl_LocalInvocationIndex; i < TOKENS * (COLUMNS / 8); i += WORKGROUP) {
    const uint token = i / (COLUMNS / 8);
    const uint part = i % (COLUMNS / 8);
    const uint64_t row = rows + 2 * uint64_t(min(first_token() + token, push.tokens - 1)) * push.xStride;
    const uvec4 words = load_16_bytes(row + 2 * (start + 8 * part));
    xTile[token * STRIDE + 2 * part] = f16vec4(unpackFloat2x16(words.x), unpackFloat2x16(words.y));
    xTile[token * STRIDE + 2 * part + 1] = f16vec4(unpackFloat2x16(words.z), unpackFloat2x16(words.w));
  }
}

void main() {
  const uint subgroupRow = gl_SubgroupID % ROW_SUBGROUPS * ROW_TILES * M;
  const uint subgroupToken = gl_SubgroupID / ROW_SUBGROUPS * TOKEN_TILES * N;
  const uint64_t rows = half_rows(uint64_t(push.x), push.tokens);

  coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> sums[MATRICES * ROW_TILES * TOKEN_TILES];
  [[unroll]] for (uint i = 0; i < MATRICES * ROW_TILES * TOKEN_TILES; i++) {
    sums[i] = coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
  }
  for (uint start = 0; start < push.columns; start += COLUMNS) {
    load_weights(start);
    load_x(start, rows);
    barrier();
    [[unroll]] for (uint k = 0; k < COLUMNS; k += K) {
      coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> x[TOKEN_TILES];
      [[unroll]] for (uint t = 0; t < TOKEN_TILES; t++) {
        coopMatLoad(x[t], xTile, (subgroupToken + t * N) * STRIDE + k / 4, STRIDE, gl_CooperativeMatrixLayoutColumnMajor);
      }
      [[unroll]] for (uint r = 0; r < MATRICES * ROW_TILES; r++) {
        const uint row = r / ROW_TILES * ROWS + subgroupRow + r % ROW_TILES * M;
        coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> weight;
        coopMatLoad(weight, weightTile, row * STRIDE + k / 4, STRIDE, gl_CooperativeMatrixLayoutRowMajor);
        [[unroll]] for (uint t = 0; t < TOKEN_TILES; t++) {
          sums[r * TOKEN_TILES + t] = coopMatMulAdd(weight, x[t], sums[r * TOKEN_TILES + t]);
        }
      }
    }
    barrier();
  }

  const uint firstResult = gl_SubgroupID * MATRICES * M * N;
  [[unroll]] for (uint r = 0; r < ROW_TILES; r++) {
    [[unroll]] for (uint t = 0; t < TOKEN_TILES; t++) {
      [[unroll]] for (uint m = 0; m < MATRICES; m++) {
        coopMatStore(sums[(m * ROW_TILES + r) * TOKEN_TILES + t], results, firstResult + m * M * N, M,
          gl_CooperativeMatrixLayoutColumnMajor);
      }
      barrier();
      for (uint i = gl_SubgroupInvocationID; i < M * N; i += SUBGROUP) {
        const uint row = gl_WorkGroupID.x * ROWS + subgroupRow + r * M + i % M;
        const uint token = first_token() + subgroupToken + t * N + i / M;
        if (row < push.rows && token < push.tokens) {
          const float factor = half_row_factor(uint64_t(push.x), token);
          const float gate = factor * results[firstResult + i];
          finish(gate, PAIR ? factor * results[firstResult + M * N + i] : 0.0, row, token);
        }
      }
      barrier();
    }
  }
}
