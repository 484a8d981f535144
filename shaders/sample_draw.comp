// Draws among all tokens that top-k, top-p and min-p leave: the highest sum of scaled logit and Gumbel noise wins
// (src/inference/sampling/draw.ts). stage: bit 0 whether top-k was selected, bit 1 whether top-p was.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/sample.glsl"
#include "include/sample_chunk.glsl"
#include "include/sample_random.glsl"
#include "include/sample_select.glsl"

void main() {
  if (step.stopped != 0) return;
  const float best = best_logit();
  uint bits[PER_LANE];
  load_chunk(bits);
  uint distances[PER_LANE];
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) distances[i] = distance_of(bits[i], best);
  uint candidates = 0xffffffffu;
  if ((stage & 1) != 0) candidates &= kept(scratch.selections[SELECT_COUNT], distances, best);
  if ((stage & 2) != 0) candidates &= kept(scratch.selections[SELECT_MASS], distances, best);

  uint64_t winner = 0;
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    const float relative = uintBitsToFloat(bits[i]) - best;
    if (distances[i] == NO_DISTANCE || (candidates >> i & 1) == 0 || relative < params.minPLog) continue;
    const float score = relative * params.inverseTemperature + gumbel_noise(chunk_id(i));
    winner = max(winner, pack_entry(order_key(floatBitsToUint(score)), chunk_id(i)));
  }
  winner = workgroup_max(winner);
  if (lane() == 0) scratch.entries[gl_WorkGroupID.x] = winner;
  if (!last_workgroup()) return;
  winner = best_of_workgroups();
  if (lane() == 0) advance(winner);
}
