// Work and sums by teams of lanes. A workgroup is cut into teams of TEAM consecutive lanes (a power of two that divides
// WORKGROUP); each team works on its own rows. Lanes are numbered through the subgroups, which are always full, so that
// a team is a part of one subgroup or a run of whole ones. Nothing here depends on the size of a subgroup but speed.
//
// The including file declares the specialization constants WORKGROUP, SUBGROUP and TEAM.
#ifndef TEAMS_GLSL
#define TEAMS_GLSL

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_control_flow_attributes : require

const uint TEAMS = WORKGROUP / TEAM;
const uint SUBGROUPS = WORKGROUP / SUBGROUP;
const uint SUBGROUPS_PER_TEAM = TEAM > SUBGROUP ? TEAM / SUBGROUP : 1;

shared float teamScratch[SUBGROUPS];

uint lane_index() { return gl_SubgroupID * SUBGROUP + gl_SubgroupInvocationID; }

// Sum over the team, the same in all its lanes and in every run. All lanes of the workgroup have to call it.
float team_sum(float value) {
  if (TEAM < SUBGROUP) {
    // Counted up to the largest exponent there is, so that compilers unroll it.
    [[unroll]] for (uint b = 0; b < 7; b++) if (1u << b < TEAM) value += subgroupShuffleXor(value, 1u << b);
    return value;
  }
  value = subgroupAdd(value);
  if (TEAM == SUBGROUP) return value;
  barrier(); // the previous sum has been read
  if (subgroupElect()) teamScratch[gl_SubgroupID] = value;
  barrier();
  const uint first = gl_SubgroupID / SUBGROUPS_PER_TEAM * SUBGROUPS_PER_TEAM;
  float sum = 0.0;
  for (uint i = 0; i < SUBGROUPS_PER_TEAM; i++) sum += teamScratch[first + i];
  return sum;
}

// Sum over the workgroup, the same in all its lanes and in every run. All lanes have to call it.
float workgroup_sum(float value) {
  value = subgroupAdd(value);
  if (SUBGROUPS == 1) return value;
  barrier(); // the previous sum has been read
  if (subgroupElect()) teamScratch[gl_SubgroupID] = value;
  barrier();
  float sum = 0.0;
  for (uint i = 0; i < SUBGROUPS; i++) sum += teamScratch[i];
  return sum;
}

#endif
