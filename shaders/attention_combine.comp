#version 460
// Joins the parts that attention.comp leaves when it splits the positions, in their order. Workgroup (i, h, t): elements
// from i * WORKGROUP on of head h of token t.
#extension GL_GOOGLE_include_directive : require
#include "include/attention_finish.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint VALUE_DIM = 64;

layout(push_constant, scalar) uniform Push {
  Floats parts; // [parts, tokens, heads, VALUE_DIM + 2]: weighted sum, peak, total
  Floats y;
  Floats sinks;
  uint count; // of parts
  uint tokens;
  uint heads;
  uint yStride;
} push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint head = gl_WorkGroupID.y;
  const uint token = gl_WorkGroupID.z;
  if (i >= VALUE_DIM) return;
  const uint first = (token * push.heads + head) * (VALUE_DIM + 2);
  const uint next = push.tokens * push.heads * (VALUE_DIM + 2);
  float peak = push.parts.v[first + VALUE_DIM];
  for (uint p = 1; p < push.count; p++) peak = max(peak, push.parts.v[first + p * next + VALUE_DIM]);
  float total = 0.0;
  float sum = 0.0;
  for (uint p = 0; p < push.count; p++) {
    const uint part = first + p * next;
    const float factor = exp(push.parts.v[part + VALUE_DIM] - peak);
    total += factor * push.parts.v[part + VALUE_DIM + 1];
    sum += factor * push.parts.v[part + i];
  }
  push.y.v[token * push.yStride + head * VALUE_DIM + i] = attention_result(sum, peak, total, push.sinks, head);
}
