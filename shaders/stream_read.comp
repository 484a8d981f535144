#version 460
// Reads memory as fast as the device can, to know its limit. Each workgroup reads a range of its own, 16 bytes per lane and load,
// neighbouring lanes next to each other, LOADS of them in flight.
#extension GL_GOOGLE_include_directive : require
#include "include/buffers.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
const uint LOADS = 8;

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Sink { uint value; };

layout(push_constant, scalar) uniform Push {
  uint64_t from;
  Sink sink;
  uint rounds; // per workgroup, of WORKGROUP * LOADS * 16 bytes
  uint never; // a sum that does not occur: the compiler cannot know, so it has to read
} push;

void main() {
  const uint64_t roundBytes = WORKGROUP * LOADS * 16;
  uint64_t address = push.from + gl_WorkGroupID.x * push.rounds * roundBytes + gl_LocalInvocationID.x * 16;
  uvec4 sum = uvec4(0);
  for (uint round = 0; round < push.rounds; round++) {
    uvec4 loaded[LOADS];
    [[unroll]] for (uint i = 0; i < LOADS; i++) loaded[i] = load_16_bytes(address + i * WORKGROUP * 16);
    [[unroll]] for (uint i = 0; i < LOADS; i++) sum += loaded[i];
    address += roundBytes;
  }
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == push.never) push.sink.value = sum.x;
}
