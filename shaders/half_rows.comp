#version 460
// Rows of float32 become rows of float16 for cooperative matrices. Each row is multiplied by a power of two that brings
// its largest element near 16384: nothing overflows, and what a float16 cannot hold is 2^-30 of the largest or less.
// The target holds the inverse factor of every row, then, from the next multiple of 16 bytes on, the rows, each filled
// up with zeros to `stride` elements. Workgroup i: row i.
#extension GL_GOOGLE_include_directive : require

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint SUBGROUP = 32;
const uint TEAM = WORKGROUP;
#include "include/buffers.glsl"
#include "include/half_rows.glsl"
#include "include/teams.glsl"

layout(push_constant, scalar) uniform Push {
  Floats x;
  uint64_t target;
  uint width;
  uint xStride;
  uint stride; // a multiple of 32
} push;

void main() {
  const uint row = gl_WorkGroupID.x;
  const uint x = row * push.xStride;
  float peak = 0.0;
  for (uint i = lane_index(); i < push.width; i += WORKGROUP) peak = max(peak, abs(push.x.v[x + i]));
  peak = workgroup_max(peak);
  // The exponent of the peak in [2^e, 2^(e + 1)); e is kept so that both factors are normal numbers.
  const int e = clamp(int(floatBitsToUint(peak) >> 23) - 127, -100, 127);
  const float factor = uintBitsToFloat(uint(127 + 13 - e) << 23);
  if (lane_index() == 0) Floats(push.target).v[row] = uintBitsToFloat(uint(127 - 13 + e) << 23);
  Halfs halfs = Halfs(half_rows(push.target, gl_NumWorkGroups.x) + uint64_t(row) * push.stride * 2);
  for (uint i = lane_index(); i < push.stride; i += WORKGROUP) {
    const float value = push.x.v[x + min(i, push.width - 1)];
    halfs.v[i] = to_f16(i < push.width ? value * factor : 0.0);
  }
}
