#version 460
// Sorts the slots of all rows by the expert that they chose and cuts each expert's into groups of at most GROUP: one workgroup.
// The order within an expert is as it comes; nothing that is computed depends on it.
#extension GL_GOOGLE_include_directive : require
#include "include/buffers.glsl"
#include "include/expert_groups.glsl"

layout(local_size_x_id = 0) in;
const uint WORKGROUP = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint EXPERTS = 1;
layout(constant_id = 2) const uint GROUP = 8;

layout(push_constant, scalar) uniform Push {
  Floats ids; // [rows, slots]
  ExpertGroups groups; // `most` of them, then the order
  uint rows;
  uint slots;
  uint idsStride;
  uint most; // groups: as many as there can be
} push;

shared uint counts[EXPERTS];
shared uint cursors[EXPERTS];
shared uint groupCount;

uint expert_of(uint entry) { return uint(push.ids.v[entry / push.slots * push.idsStride + entry % push.slots]); }

// Where each expert's entries start, and the groups they are cut into.
void place() {
  uint start = 0;
  uint group = 0;
  for (uint e = 0; e < EXPERTS; e++) {
    const uint end = start + counts[e];
    cursors[e] = start;
    for (uint first = start; first < end; first += GROUP) {
      push.groups.groups[group++] = ExpertGroup(first, min(first + GROUP, end), e, 0);
    }
    start = end;
  }
  groupCount = group;
}

void main() {
  const uint lane = gl_LocalInvocationIndex;
  const uint entries = push.rows * push.slots;
  for (uint e = lane; e < EXPERTS; e += WORKGROUP) counts[e] = 0;
  barrier();
  for (uint i = lane; i < entries; i += WORKGROUP) atomicAdd(counts[expert_of(i)], 1);
  barrier();
  if (lane == 0) place();
  barrier();
  for (uint g = groupCount + lane; g < push.most; g += WORKGROUP) push.groups.groups[g] = ExpertGroup(0, 0, 0, 0);
  ExpertOrder order = expert_order(push.groups, push.most);
  for (uint i = lane; i < entries; i += WORKGROUP) order.entries[atomicAdd(cursors[expert_of(i)], 1)] = i;
}
