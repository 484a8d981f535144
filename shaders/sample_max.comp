// Finds the best token. With stage 0 it is the chosen one (greedy); with stage 1 it is what later kernels of the step
// measure the other tokens by.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/sample.glsl"
#include "include/sample_chunk.glsl"

void main() {
  if (step.stopped != 0) return;
  uint bits[PER_LANE];
  load_chunk(bits);
  uint64_t best = 0;
  bool broken = false;
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    best = max(best, logit_entry(bits[i], chunk_id(i)));
    broken = broken || not_finite(bits[i]);
  }
  if (broken) atomicOr(step.error, STEP_ERROR_NON_FINITE_LOGITS);
  best = workgroup_max(best);
  if (lane() == 0) scratch.entries[gl_WorkGroupID.x] = best;
  if (!last_workgroup()) return;
  best = best_of_workgroups();
  if (lane() != 0) return;
  if (stage == 0) advance(best);
  else if (!stop_on_error(best)) scratch.best = best;
}
