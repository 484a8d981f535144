#version 460
// Ends a step without choosing a token: the next one comes from a trace that is known beforehand. One lane.
#extension GL_GOOGLE_include_directive : require
#include "include/step.glsl"

layout(local_size_x = 1) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Trace { uint tokens[]; };

layout(push_constant, scalar) uniform Push {
  Step step;
  Trace trace;
  uint traceLength;
} push;

void main() {
  const uint position = push.step.position + push.step.tokenCount;
  push.step.position = position;
  push.step.tokenCount = 1;
  push.step.tokens[0] = push.trace.tokens[position % push.traceLength];
}
