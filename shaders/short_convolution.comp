#version 460
// Causal convolution of every channel over time. A lane takes one channel and RUN rows of a batch: workgroup (i, j) has
// channels from i * WORKGROUP on and rows from j * RUN on. The lanes of the first run also read and write the state, so that
// nothing reads what another lane writes.
#extension GL_GOOGLE_include_directive : require
#include "include/activations.glsl"
#include "include/buffers.glsl"
#include "include/step.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint KERNEL = 4;
layout(constant_id = 2) const uint RUN = 16;
layout(constant_id = 3) const uint ACTIVATION = 0;
const uint PAST = KERNEL - 1;

layout(push_constant, scalar) uniform Push {
  Step step;
  Floats x;
  Floats before; // factor on the input, or none
  Floats after; // factor on the result, or none
  Floats y;
  Floats weight; // [channels, KERNEL]
  Floats bias;
  Floats state; // [KERNEL, channels]: the input at position p in row p mod KERNEL
  uint channels;
  uint xStride;
  uint beforeStride;
  uint afterStride;
  uint yStride;
} push;

// Where the ring holds an input `earlier` (at most KERNEL) positions before row `row` of the batch.
uint ring(uint row, uint earlier, uint channel) {
  return (push.step.position + row + KERNEL - earlier) % KERNEL * push.channels + channel;
}

float input_at(uint row, uint channel) {
  const float value = push.x.v[row * push.xStride + channel];
  return present(push.before) ? value * push.before.v[row * push.beforeStride + channel] : value;
}

void main() {
  const uint channel = gl_GlobalInvocationID.x;
  const uint first = gl_WorkGroupID.y * RUN;
  const uint rows = push.step.tokenCount;
  if (channel >= push.channels || first >= rows) return;
  // The window before row r: window[j] is the input PAST - j rows earlier, from the state where that is before the batch.
  float window[PAST];
  float weights[KERNEL];
  [[unroll]] for (uint j = 0; j < KERNEL; j++) weights[j] = push.weight.v[channel * KERNEL + j];
  [[unroll]] for (uint j = 0; j < PAST; j++) {
    window[j] = first + j < PAST ? push.state.v[ring(first, PAST - j, channel)] : input_at(first + j - PAST, channel);
  }
  const float bias = present(push.bias) ? push.bias.v[channel] : 0.0;
  for (uint row = first; row < min(first + RUN, rows); row++) {
    const float value = input_at(row, channel);
    float sum = bias + weights[PAST] * value;
    [[unroll]] for (uint j = 0; j < PAST; j++) sum += weights[j] * window[j];
    [[unroll]] for (uint j = 0; j + 1 < PAST; j++) window[j] = window[j + 1];
    window[PAST - 1] = value;
    float result = activate(ACTIVATION, sum);
    if (present(push.after)) result *= push.after.v[row * push.afterStride + channel];
    push.y.v[row * push.yStride + channel] = result;
  }
  if (first > 0 || push.step.stopped != 0) return;
  for (uint row = rows - min(rows, KERNEL); row < rows; row++) push.state.v[ring(row, 0, channel)] = input_at(row, channel);
}
