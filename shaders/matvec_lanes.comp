#version 460
// Matrix times a few vectors on devices whose subgroups are CPU vectors. Each lane owns ROWS rows of the matrix, because
// summing across lanes and loading one address per lane are the slow things there: all that is loaded per lane is
// the lane's own weights, and x comes 4 elements per lane, to be passed round from register to register (by a shuffle
// with a constant index, which is one instruction there; a broadcast is a loop).
// Workgroup (i, j): WORKGROUP * ROWS rows of the matrix times TOKENS rows of x.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "format.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
layout(constant_id = 2) const uint ROWS = 1;
layout(constant_id = 3) const uint TOKENS = 1;
layout(constant_id = 4) const uint ACTIVATION = 0;
layout(constant_id = 5) const bool PAIR = false;
layout(constant_id = 6) const bool NORM = false;
layout(constant_id = 7) const bool ALIGNED = false; // x, its stride and the norm's weight are multiples of 16 bytes
#include "include/matmul.glsl"

// A step of the loop covers whole chunks and whole loads of 4 elements per lane.
const uint STEP = 4 * SUBGROUP > CHUNK ? 4 * SUBGROUP : CHUNK;
const uint LOADS = STEP / (4 * SUBGROUP);

// Elements `i` to `i + 3`, 0 beyond `end`.
vec4 load4(Floats from, uint i, uint end) {
  if (ALIGNED && STEP == CHUNK) return uintBitsToFloat(load_16_bytes(uint64_t(from) + 4 * i));
  vec4 value;
  [[unroll]] for (uint k = 0; k < 4; k++) {
    const float element = from.v[min(i + k, end - 1)];
    value[k] = i + k < end ? element : 0.0;
  }
  return value;
}

void main() {
  const uint lane = gl_SubgroupInvocationID;
  const uint first = (gl_WorkGroupID.x * WORKGROUP + gl_SubgroupID * SUBGROUP) * ROWS + lane;
  const uint firstToken = gl_WorkGroupID.y * TOKENS;
  const uint chunksPerRow = push.columns / CHUNK;
  float sums[MATRICES][ROWS][TOKENS];
  float squares[TOKENS];
  [[unroll]] for (uint t = 0; t < TOKENS; t++) {
    squares[t] = 0.0;
    [[unroll]] for (uint m = 0; m < MATRICES; m++) {
      [[unroll]] for (uint r = 0; r < ROWS; r++) sums[m][r][t] = 0.0;
    }
  }
  for (uint start = 0; start < push.columns; start += STEP) {
    vec4 x[TOKENS][LOADS];
    [[unroll]] for (uint l = 0; l < LOADS; l++) {
      const uint i = start + 4 * (l * SUBGROUP + lane);
      vec4 weight = vec4(1.0);
      if (NORM) weight = load4(push.normWeight, i, push.columns);
      [[unroll]] for (uint t = 0; t < TOKENS; t++) {
        const uint token = min(firstToken + t, push.tokens - 1);
        const vec4 value = load4(Floats(uint64_t(push.x) + 4 * uint64_t(token) * push.xStride), i, push.columns);
        if (NORM) squares[t] += dot(value, value);
        x[t][l] = value * weight;
      }
    }
    [[unroll]] for (uint c = 0; c < STEP / CHUNK; c++) {
      const uint chunk = start / CHUNK + c;
      if (STEP > CHUNK && chunk >= chunksPerRow) break;
      [[unroll]] for (uint m = 0; m < MATRICES; m++) {
        float weights[ROWS][CHUNK];
        [[unroll]] for (uint r = 0; r < ROWS; r++) {
          const uint row = min(first + r * SUBGROUP, push.rows - 1);
          decode_chunk(weights_of(m), row * chunksPerRow + chunk, weights[r]);
        }
        [[unroll]] for (uint t = 0; t < TOKENS; t++) {
          [[unroll]] for (uint i = 0; i < CHUNK; i++) {
            const uint k = c * CHUNK + i;
            const float value = subgroupShuffle(x[t][k / (4 * SUBGROUP)][k % 4], k / 4 % SUBGROUP);
            [[unroll]] for (uint r = 0; r < ROWS; r++) sums[m][r][t] += weights[r][i] * value;
          }
        }
      }
    }
  }
  [[unroll]] for (uint t = 0; t < TOKENS; t++) {
    float factor = 1.0;
    if (NORM) factor = norm_factor(subgroupAdd(squares[t]));
    [[unroll]] for (uint r = 0; r < ROWS; r++) {
      const uint row = first + r * SUBGROUP;
      if (row < push.rows && firstToken + t < push.tokens) {
        finish(factor * sums[0][r][t], PAIR ? factor * sums[MATRICES - 1][r][t] : 0.0, row, firstToken + t);
      }
    }
  }
}
