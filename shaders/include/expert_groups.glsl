// The slots of a batch sorted by expert, so that a workgroup can serve several tokens with the weights it has read.
// An entry is a slot of a row: row * slots + slot.
#ifndef EXPERT_GROUPS_GLSL
#define EXPERT_GROUPS_GLSL

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// Entries [first, end) of the order chose `expert`; a group that is not needed is empty.
struct ExpertGroup {
  uint first;
  uint end;
  uint expert;
  uint padding;
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer ExpertGroups { ExpertGroup groups[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer ExpertOrder { uint entries[]; };

// The order lies behind the groups.
ExpertOrder expert_order(ExpertGroups groups, uint count) { return ExpertOrder(uint64_t(groups) + uint64_t(count) * 16); }

#endif
