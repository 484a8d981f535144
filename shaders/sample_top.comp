// The whole chain for top-k up to 64, which is what nearly everyone uses: every workgroup finds the k best tokens of its
// chunk, the last one merges these lists, applies top-p and min-p to the k survivors and draws.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/sample.glsl"
#include "include/sample_random.glsl"

const uint TOP_K_MAX = 64;
const uint PER_LANE = 16;
const uint CHUNK = LANES * PER_LANE;

shared uint64_t lane_best[LANES];
shared uint64_t threshold;
shared uint64_t found[TOP_K_MAX * PER_LANE];
shared uint found_count;
shared uint64_t top[TOP_K_MAX];
shared float weights[TOP_K_MAX];

// Leaves the k best of all lanes' values in `top`, best first, then zeros.
//
// The k-th best of the lanes' own best values is a lower bound of the k-th best value, and only k lanes reach it. What
// they hold above it is few enough (most often about k, at most k * PER_LANE) to count how many beat each.
void select_top(uint64_t values[PER_LANE], uint k) {
  uint64_t mine = 0;
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) mine = max(mine, values[i]);
  barrier();
  lane_best[lane()] = mine;
  if (lane() < TOP_K_MAX) top[lane()] = 0;
  if (lane() == 0) {
    found_count = 0;
    threshold = 1; // with fewer than k lanes that have any value, all are needed
  }
  barrier();
  uint rank = 0;
  for (uint i = 0; i < LANES; i++) rank += uint(lane_best[i] > mine);
  if (rank == k - 1 && mine != 0) threshold = mine;
  barrier();
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    if (values[i] >= threshold) found[atomicAdd(found_count, 1)] = values[i];
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
  const uint block = LANES * (PER_LANE - 1); // the last value of a lane is for what earlier blocks left
  for (uint start = 0; start < count; start += block) {
    uint64_t values[PER_LANE];
    [[unroll]] for (uint i = 0; i < PER_LANE - 1; i++) {
      const uint index = start + i * LANES + lane();
      values[i] = index < count ? scratch.entries[index] : 0;
    }
    values[PER_LANE - 1] = start > 0 && lane() < k ? top[lane()] : 0;
    select_top(values, k);
  }
}

// Top-p, min-p, temperature and noise for the candidate of this lane in `top`: its entry by score, or 0.
uint64_t score(uint k) {
  const bool valid = lane() < k && top[lane()] != 0;
  const float relative = valid ? entry_value(top[lane()]) - entry_value(top[0]) : 0.0;
  if (lane() < TOP_K_MAX) weights[lane()] = valid ? exp(relative) : 0.0;
  barrier();
  if (!valid) return 0;
  float before = 0.0;
  float total = 0.0;
  for (uint i = 0; i < k; i++) {
    if (i == lane()) before = total;
    total += weights[i];
  }
  const bool in_top_p = lane() == 0 || params.topP >= 1.0 || before < params.topP * total;
  if (!in_top_p || relative < params.minPLog) return 0;
  const uint id = entry_id(top[lane()]);
  const float noisy = relative * params.inverseTemperature + gumbel_noise(id);
  return make_entry(order_key(floatBitsToUint(noisy)), id);
}

void main() {
  if (step.stopped != 0) return;
  const uint k = clamp(params.topK, 1, TOP_K_MAX);
  uint64_t values[PER_LANE];
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    values[i] = load_entry(gl_WorkGroupID.x * CHUNK + i * LANES + lane());
  }
  select_top(values, k);
  if (lane() < k) scratch.entries[gl_WorkGroupID.x * k + lane()] = top[lane()];
  if (!last_workgroup()) return;
  merge_lists(k);
  const uint64_t winner = workgroup_max(score(k));
  if (lane() == 0) advance(winner);
}
