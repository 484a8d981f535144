#version 460
// y = scale * f(inner * x), element by element. Workgroup (i, r): elements from i * WORKGROUP on of row r.
#extension GL_GOOGLE_include_directive : require
#include "include/activations.glsl"
#include "include/buffers.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint FUNCTION = 0; // an activation, or one of these
const uint CLAMP = 100;
const uint XIELU = 101;

layout(push_constant, scalar) uniform Push {
  Floats x;
  Floats y;
  uint width;
  uint xStride;
  uint yStride;
  float inner;
  float scale;
  float low; // of CLAMP
  float high;
  float positive; // of XIELU
  float negative;
  float beta;
  float epsilon;
} push;

// exp(x) - 1 without cancellation near 0: the series' next term is below 2^-26 of the sum.
float expm1(float x) {
  const float series = x * (1.0 + x * (1.0 / 2 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120)))));
  return abs(x) < 0.1 ? series : exp(x) - 1.0;
}

float xielu(float x) {
  const float curve = x > 0.0 ? push.positive * x * x : push.negative * (expm1(min(x, push.epsilon)) - x);
  return curve + push.beta * x;
}

float apply(float x) {
  if (FUNCTION == CLAMP) return clamp(x, push.low, push.high);
  if (FUNCTION == XIELU) return xielu(x);
  return activate(FUNCTION, x);
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  if (i >= push.width) return;
  push.y.v[row * push.yStride + i] = push.scale * apply(push.inner * push.x.v[row * push.xStride + i]);
}
