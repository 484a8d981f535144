// The whole chain for top-k up to 64, which is what nearly everyone uses: every workgroup finds the k best tokens of its
// chunk, the last one merges these lists, applies top-p and min-p to the k survivors and draws.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/sample.glsl"
const uint CHUNK = 4096;
#include "include/sample_chunk.glsl"
#include "include/sample_random.glsl"

const uint TOP_K_MAX = 64;

// The search for the k best ends with at most this many candidates for each of them.
const uint FOUND_PER_PLACE = 2;

shared uint reached[3];
shared uint64_t found[TOP_K_MAX * FOUND_PER_PLACE];
shared uint found_count;
shared uint64_t top[TOP_K_MAX];
shared float weights[TOP_K_MAX];

// How many of all lanes' values are at least `bound`. One barrier per call, for calls with round = 0, 1, 2, ...: the
// counter of the next round was last read before the barrier of the previous one.
uint count_reaching(uint64_t bound, uint64_t values[PER_LANE], uint round) {
  uint own = 0;
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) own += uint(values[i] >= bound);
  own = subgroupAdd(own);
  if (subgroupElect()) atomicAdd(reached[round % 3], own);
  if (lane() == 0) reached[(round + 1) % 3] = 0;
  barrier();
  return reached[round % 3];
}

// Leaves the k best of all lanes' values in `top`, best first, then zeros.
//
// A binary search finds a bound that k or a few more values reach; those are then ranked by counting what beats each. The
// lowest of the lanes' best values starts it: as many values as there are lanes reach that. Values are distinct, so that
// at most 64 halvings find a bound that exactly k reach.
void select_top(uint64_t values[PER_LANE], uint k) {
  uint64_t own_best = 0;
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) own_best = max(own_best, values[i]);
  const uint64_t lowest_best = ~workgroup_max(~own_best); // behind its barrier nobody reads what is cleared next
  if (lane() == 0) found_count = reached[0] = 0;
  for (uint i = lane(); i < TOP_K_MAX; i += LANES) top[i] = 0;
  uint64_t above = workgroup_max(own_best) + 1; // reached by less than k
  uint64_t bound = k <= LANES ? max(lowest_best, uint64_t(1)) : 1; // reached by k, or by all values but 0
  uint count = count_reaching(bound, values, 0);
  for (uint round = 1; count > k * FOUND_PER_PLACE; round++) {
    const uint64_t middle = bound + (above - bound >> 1);
    const uint reaching = count_reaching(middle, values, round);
    if (reaching >= k) {
      bound = middle;
      count = reaching;
    } else above = middle;
  }
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    if (values[i] >= bound) found[atomicAdd(found_count, 1)] = values[i];
  }
  barrier();
  for (uint i = lane(); i < found_count; i += LANES) {
    uint place = 0;
    for (uint j = 0; j < found_count; j++) place += uint(found[j] > found[i]);
    if (place < k) top[place] = found[i];
  }
  barrier();
}

// Merges the lists of all workgroups, a block at a time, into `top`.
void merge_lists(uint k) {
  const uint count = gl_NumWorkGroups.x * k;
  uint start = 0;
  while (start < count) {
    const uint earlier = start > 0 ? TOP_K_MAX : 0; // places for what earlier blocks left
    uint64_t values[PER_LANE];
    [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
      const uint place = i * LANES + lane();
      const uint index = start + place - earlier;
      if (place < earlier) values[i] = top[place];
      else values[i] = index < count ? scratch.entries[index] : 0;
    }
    select_top(values, k);
    start += CHUNK - earlier;
  }
}

// Top-p, min-p, temperature and noise: the entries of the candidates in `top` by their scores, the best of this lane.
uint64_t best_score(uint k, Scoring scoring) {
  const float best = entry_value(top[0]);
  for (uint i = lane(); i < k; i += LANES) weights[i] = top[i] != 0 ? exp(entry_value(top[i]) - best) : 0.0;
  barrier();
  uint64_t winner = 0;
  for (uint i = lane(); i < k; i += LANES) {
    float total = 0.0;
    float before = 0.0;
    for (uint j = 0; j < k; j++) {
      if (j == i) before = total;
      total += weights[j];
    }
    const float limit = params.topP < 1.0 ? params.topP * total : 2.0 * total;
    if (i == 0 || before < limit) winner = max(winner, scored(top[i], best, scoring));
  }
  return winner;
}

void main() {
  uint bits[PER_LANE];
  load_chunk(bits);
  if (step.stopped != 0) return;
  prepare_chunk(bits);
  uint64_t values[PER_LANE];
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) values[i] = logit_entry(bits[i], chunk_id(i));
  const uint k = clamp(params.topK, 1, TOP_K_MAX);
  select_top(values, k);
  for (uint i = lane(); i < k; i += LANES) scratch.entries[gl_WorkGroupID.x * k + i] = top[i];
  if (!last_workgroup()) return;
  const Scoring scoring = load_scoring();
  const StepEnd end = load_step_end();
  merge_lists(k);
  advance(workgroup_max(best_score(k, scoring)), end);
}
