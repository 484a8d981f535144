// Finds the best token: the chosen one with FLAG_LAST, else what later kernels of the step measure the other tokens by.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/sample.glsl"
const uint CHUNK = 2048;
#include "include/sample_chunk.glsl"

void main() {
  uint bits[PER_LANE];
  load_chunk(bits);
  if (step.stopped != 0) return;
  prepare_chunk(bits);
  uint64_t best = best_of_chunk(bits);
  if (lane() == 0) scratch.entries[gl_WorkGroupID.x] = best;
  if (!last_workgroup()) return;
  const StepEnd end = load_step_end();
  best = best_of_workgroups(0);
  if (has(FLAG_LAST)) advance(best, end);
  else if (lane() == 0) {
    scratch.best = best;
    stop_on_error(best, end);
  }
}
