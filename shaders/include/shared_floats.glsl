// Floats in device memory that the lanes of a workgroup write for each other. Between writing and reading they need
// memoryBarrierBuffer() and barrier().
#ifndef SHARED_FLOATS_GLSL
#define SHARED_FLOATS_GLSL

#include "buffers.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer SharedFloats { float v[]; };

#endif
