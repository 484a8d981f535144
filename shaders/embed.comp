#version 460
// y[t] = scale * table[index(t)]. Workgroup (i, t): elements from i * WORKGROUP on of row t.
#extension GL_GOOGLE_include_directive : require
#include "include/buffers.glsl"
#include "include/step.glsl"
#include "format.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint INDEX = 0;

const uint BY_TOKEN = 0; // the row is the token id
const uint BY_POSITION = 1; // the row is the position plus `offset`
// anything else: the row is `offset`

layout(push_constant, scalar) uniform Push {
  uint64_t table;
  Step step;
  Floats y;
  uint blocks;
  uint rows; // of the table
  uint width;
  uint yStride;
  uint offset;
  float scale;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint t = gl_WorkGroupID.y;
  if (i >= push.width) return;
  uint row = push.offset;
  if (INDEX == BY_TOKEN) row = push.step.tokens[t];
  if (INDEX == BY_POSITION) row += push.step.position + t;
  row = min(row, push.rows - 1); // rows beyond the step's count hold anything
  push.y.v[t * push.yStride + i] = push.scale * decode_one(Weights(push.table, push.blocks), row * push.width + i);
}
