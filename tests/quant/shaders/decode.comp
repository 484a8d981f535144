#version 460
// Decodes a tensor of one format into float32, chunk by chunk or weight by weight.
#extension GL_GOOGLE_include_directive : require
#include "format.glsl"

layout(local_size_x = 32) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer FloatRef { float value; };

layout(push_constant, scalar) uniform Push {
  uint64_t weights;
  uint64_t values;
  uint blocks;
  uint elements;
  uint single; // 1: weight by weight
} push;

void store(uint i, float value) { FloatRef(push.values + uint64_t(i) * 4).value = value; }

void main() {
  const Weights w = Weights(push.weights, push.blocks);
  const uint i = gl_GlobalInvocationID.x;
  if (push.single != 0) {
    if (i < push.elements) store(i, decode_one(w, i));
  } else if (i < push.elements / CHUNK) {
    float v[CHUNK];
    decode_chunk(w, i, v);
    [[unroll]] for (uint k = 0; k < CHUNK; k++) store(i * CHUNK + k, v[k]);
  }
}
