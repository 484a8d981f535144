// Cutting a product of two matrices into tiles: which pieces of the weight and of x a workgroup brings into shared memory.
// A tile has TILE_ROWS rows of the weight or TOKENS rows of x, and TILE_COLUMNS columns of both. With PAIR its first
// half of rows comes from one matrix and the second half from the other.
//
// The including file declares the specialization constants WORKGROUP, TILE_ROWS, TOKENS, TILE_COLUMNS (a multiple of
// 32) and ALIGNED (x and its stride are multiples of 16 bytes, its rows whole pieces), and what matmul.glsl asks for.
#ifndef MATMUL_TILES_GLSL
#define MATMUL_TILES_GLSL

#include "matmul.glsl"

const uint ROWS_PER_MATRIX = TILE_ROWS / MATRICES;
const uint CHUNKS = TILE_COLUMNS / CHUNK; // of a row of weights
const uint PIECES = TILE_COLUMNS / 8; // of a row of x
// Chunks and pieces per lane.
const uint WEIGHT_LOADS = (TILE_ROWS * CHUNKS + WORKGROUP - 1) / WORKGROUP;
const uint INPUT_LOADS = (TOKENS * PIECES + WORKGROUP - 1) / WORKGROUP;

// Whether chunk or piece `i` of `count` exists; what every lane has needs no question.
bool in_tile(uint i, uint count) { return count % WORKGROUP == 0 || i < count; }

// Row `tileRow` of the tile in the weight it belongs to.
uint weight_of_tile_row(uint tileRow) { return gl_WorkGroupID.y * ROWS_PER_MATRIX + tileRow % ROWS_PER_MATRIX; }
// Workgroups follow each other token by token, so that those that run together read the same weights.
uint tile_token() { return gl_WorkGroupID.x * TOKENS; }

// Chunk `i` of the tile of weights whose columns start at `start`; false if it lies behind the last column.
bool load_weights(uint i, uint start, out float v[CHUNK]) {
  const uint tileRow = min(i / CHUNKS, TILE_ROWS - 1);
  const uint row = min(weight_of_tile_row(tileRow), push.rows - 1);
  const uint chunksPerRow = push.columns / CHUNK;
  const uint chunk = start / CHUNK + i % CHUNKS;
  decode_chunk(weights_of(tileRow / ROWS_PER_MATRIX), row * chunksPerRow + min(chunk, chunksPerRow - 1), v);
  return chunk < chunksPerRow;
}

// Piece `i` of the tile of x whose columns start at `start`; zeros behind the last column.
void load_inputs(uint i, uint start, out vec4 v[2]) {
  const uint token = min(tile_token() + i / PIECES, push.tokens - 1);
  const uint column = start + i % PIECES * 8;
  const uint from = token * push.xStride + column;
  v[0] = v[1] = vec4(0.0);
  if (column >= push.columns) return;
  if (ALIGNED) {
    const uint64_t address = uint64_t(push.x) + 4 * uint64_t(from);
    v[0] = uintBitsToFloat(load_16_bytes(address));
    v[1] = uintBitsToFloat(load_16_bytes(address + 16));
  } else {
    [[unroll]] for (uint k = 0; k < 8; k++) v[k / 4][k % 4] = column + k < push.columns ? push.x.v[from + k] : 0.0;
  }
}

#endif
