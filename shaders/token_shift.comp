#version 460
// Blends of each row with the one before it: y[t, i] = x[t] + mix[i] * (x[t - 1] - x[t]). Workgroup (i, t): elements from
// i * WORKGROUP on of row t. The lanes of the first row also keep the last row for the next batch.
#extension GL_GOOGLE_include_directive : require
#include "include/buffers.glsl"
#include "include/step.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats x;
  Floats y;
  Floats mix; // [mixes, width]
  Floats state; // [width]
  uint width;
  uint mixes;
  uint xStride;
  uint yStride;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  const uint rows = push.step.tokenCount;
  if (i >= push.width || row >= rows) return;
  const float now = push.x.v[row * push.xStride + i];
  const float previous = row == 0 ? push.state.v[i] : push.x.v[(row - 1) * push.xStride + i];
  for (uint m = 0; m < push.mixes; m++) {
    const uint at = m * push.width + i;
    push.y.v[row * push.yStride + at] = now + push.mix.v[at] * (previous - now);
  }
  if (row == 0 && push.step.stopped == 0) push.state.v[i] = push.x.v[(rows - 1) * push.xStride + i];
}
