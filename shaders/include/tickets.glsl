// Counters by which the last of several workgroups finds out that it is the last, and goes on with what all of them have written.
#ifndef TICKETS_GLSL
#define TICKETS_GLSL

#include "buffers.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Tickets { uint drawn[]; }; // 0 before and after

shared bool sharedIsLast;

// True for the last of `workgroups` workgroups to come here; what the others wrote is then visible to it. All lanes have to call it.
bool draws_last_ticket(Tickets tickets, uint ticket, uint workgroups) {
  memoryBarrierBuffer();
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    sharedIsLast = atomicAdd(tickets.drawn[ticket], 1) + 1 == workgroups;
    if (sharedIsLast) tickets.drawn[ticket] = 0;
  }
  barrier();
  memoryBarrierBuffer();
  return sharedIsLast;
}

#endif
