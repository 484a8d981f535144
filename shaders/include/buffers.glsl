// Typed views of device memory. Kernels get 64-bit addresses in their push constants; an address of 0 means "not there".
#ifndef BUFFERS_GLSL
#define BUFFERS_GLSL

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_control_flow_attributes : require

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Floats { float v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Halfs { float16_t v[]; };

bool present(Floats address) { return uint64_t(address) != 0; }

// The nearest float16, with values beyond its range brought to its ends.
float16_t to_f16(float value) { return float16_t(clamp(value, -65504.0, 65504.0)); }

#endif
