#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// y[i] = factor * x[i] + y[i], then ADDEND on top; x may be absent (address 0).
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const float ADDEND = 0.0;

layout(buffer_reference, scalar) buffer Floats { float at[]; };
layout(push_constant, scalar) uniform Push { Floats x; Floats y; uint count; float factor; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  const float added = uint64_t(x) != 0 ? factor * x.at[i] : 0.0;
  y.at[i] = added + y.at[i] + ADDEND;
}
