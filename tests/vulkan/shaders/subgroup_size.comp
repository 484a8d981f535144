#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_shader_subgroup_arithmetic : require

// Writes the subgroup size and how many lanes are active.
layout(local_size_x_id = 0) in;
layout(buffer_reference, scalar) buffer Words { uint at[]; };
layout(push_constant, scalar) uniform Push { Words result; };

void main() {
  const uint lanes = subgroupAdd(1);
  if (gl_GlobalInvocationID.x == 0) {
    result.at[0] = gl_SubgroupSize;
    result.at[1] = lanes;
  }
}
