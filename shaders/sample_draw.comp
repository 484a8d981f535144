// Draws among all tokens that top-k, top-p and min-p leave: the highest sum of scaled logit and Gumbel noise wins
// (src/inference/sampling/draw.ts).
//
// Every workgroup draws among those of its tokens that surely stay, and puts those that may on a list. The last one finds
// out which of the list stay, and draws among them and the workgroups' winners. Where nothing depends on the best token
// but the scale of scores, this is the only kernel of the step: the workgroups' winners are then measured by their own best.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/sample.glsl"
const uint CHUNK = 2048;
#include "include/sample_chunk.glsl"
#include "include/sample_random.glsl"
#include "include/sample_select.glsl"
#include "include/sample_list.glsl"

// The best scores so far of this lane and of the entries that have them.
uint64_t best_score = 0;
uint64_t drawn = 0;

void draw(uint64_t entry, float best, Scoring scoring) {
  const uint64_t score = scored(entry, best, scoring);
  if (score <= best_score) return;
  best_score = score;
  drawn = entry;
}

// Draws among the tokens of this workgroup, or lists them.
void draw_chunk(uint bits[PER_LANE], float best, Selection selection, Scoring scoring) {
  const bool filtered = has(FLAG_TOP_K | FLAG_TOP_P);
  uint listed = 0;
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    const uint64_t entry = logit_entry(bits[i], chunk_id(i));
    const uint b = filtered ? bin_of(entry_value(entry), best) : 0;
    if (!filtered || b < selection.first) draw(entry, best, scoring);
    if (filtered && entry != 0) listed += uint(is_listed(b, selection));
  }
  if (!filtered) return;
  uint place = reserve_list(listed);
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    const uint64_t entry = logit_entry(bits[i], chunk_id(i));
    if (entry != 0 && is_listed(bin_of(entry_value(entry), best), selection)) scratch.entries[place++] = entry;
  }
}

void main() {
  uint bits[PER_LANE];
  load_chunk(bits);
  const Scoring scoring = load_scoring();
  const Selection selection = scratch.selection;
  float best = best_logit();
  if (step.stopped != 0) return;
  if (has(FLAG_FIRST)) {
    prepare_chunk(bits);
    const uint64_t best_here = best_of_chunk(bits);
    if (lane() == 0) scratch.entries[gl_NumWorkGroups.x + gl_WorkGroupID.x] = best_here;
    best = entry_value(best_here);
  }
  draw_chunk(bits, best, selection, scoring);
  const uint64_t winner = workgroup_max(best_score);
  if (best_score == winner && (winner != 0 || lane() == 0)) scratch.entries[gl_WorkGroupID.x] = drawn;
  if (!last_workgroup()) return;

  const StepEnd end = load_step_end();
  if (has(FLAG_TOP_K | FLAG_TOP_P)) load_list();
  if (has(FLAG_FIRST)) best = entry_value(best_of_workgroups(gl_NumWorkGroups.x));
  best_score = 0;
  for (uint i = lane(); i < gl_NumWorkGroups.x; i += LANES) draw(scratch.entries[i], best, scoring);
  if (has(FLAG_TOP_K | FLAG_TOP_P)) {
    const uint64_t lowest = find_lowest(selection, best);
    for (uint start = 0; start < list_length; start += BLOCK) {
      load_next(start);
      [[unroll]] for (uint i = 0; i < LIST_PER_LANE; i++) if (listed[i] >= lowest) draw(listed[i], best, scoring);
    }
  }
  advance(workgroup_max(best_score), end);
}
