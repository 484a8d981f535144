// One level of the descent described in include/sample_select.glsl: sums the tokens of the current bin into its 1024
// parts, and lets the last workgroup choose the part in which the wanted sum is reached.
// stage: bit 0 what is summed (SELECT_COUNT, SELECT_MASS), bit 1 whether top-k came before, from bit 2 the level.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/sample.glsl"
#include "include/sample_chunk.glsl"
#include "include/sample_select.glsl"

const uint BINS_PER_LANE = BINS / LANES;

shared uint low[BINS];
shared uint high[BINS];

uint what() { return stage & 1; }
bool after_top_k() { return (stage & 2) != 0; }
uint level() { return stage >> 2; }
uint level_shift() { return DISTANCE_BITS - LEVEL_BITS * (level() + 1); }

uint amount_of(uint distance) { return what() == SELECT_COUNT ? 1 : mass_of(distance); }

// 64-bit sum of `amount` into bin `b` of this workgroup.
void add_to_bin(uint b, uint amount) {
  const uint old = atomicAdd(low[b], amount);
  if (old + amount < old) atomicAdd(high[b], 1);
}

// Adds this workgroup's bins to everyone's.
void merge_bins() {
  for (uint b = lane(); b < BINS; b += LANES) {
    if ((low[b] | high[b]) == 0) continue;
    const uint old = atomicAdd(scratch.histogram[2 * b], low[b]);
    const uint carry = uint(old + low[b] < old);
    if ((high[b] | carry) != 0) atomicAdd(scratch.histogram[2 * b + 1], high[b] + carry);
  }
}

// The sum to reach among `total`: k tokens, or at least the share p of the probability.
uint64_t wanted(uint64_t total) {
  if (what() == SELECT_COUNT) return min(uint64_t(params.topK), total);
  const uint64_t fraction = params.topPFraction;
  const uint64_t share = (total >> 32) * fraction + ((total & 0xffffffffu) * fraction >> 32);
  return max(share, uint64_t(1));
}

// Reads and clears the histogram, and narrows the selection to the bin in which the wanted sum is reached.
void choose_bin(Selection selection) {
  uint64_t sums[BINS_PER_LANE];
  uint64_t own = 0;
  [[unroll]] for (uint i = 0; i < BINS_PER_LANE; i++) {
    const uint b = lane() * BINS_PER_LANE + i;
    const uint low_word = atomicExchange(scratch.histogram[2 * b], 0);
    const uint high_word = atomicExchange(scratch.histogram[2 * b + 1], 0);
    sums[i] = uint64_t(high_word) << 32 | uint64_t(low_word);
    own += sums[i];
  }
  uint64_t before = inclusive_sum(own) - own;
  const uint64_t goal = level() == 0 ? wanted(scanned[LANES - 1]) : selection.remaining;
  [[unroll]] for (uint i = 0; i < BINS_PER_LANE; i++) {
    if (before < goal && goal <= before + sums[i]) {
      selection.distance = selection.distance << LEVEL_BITS | (lane() * BINS_PER_LANE + i);
      selection.remaining = goal - before;
      if (level() == LEVELS - 1) {
        const uint64_t amount = amount_of(selection.distance);
        selection.keep = uint((selection.remaining + amount - 1) / amount);
        selection.ties = uint(sums[i] / amount);
      }
      scratch.selections[what()] = selection;
    }
    before += sums[i];
  }
}

void main() {
  if (step.stopped != 0) return;
  Selection selection = Selection(0, 0, 0, 0, 0);
  if (level() > 0) selection = scratch.selections[what()];
  for (uint b = lane(); b < BINS; b += LANES) low[b] = high[b] = 0;
  barrier();

  const float best = best_logit();
  uint bits[PER_LANE];
  load_chunk(bits);
  uint distances[PER_LANE];
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) distances[i] = distance_of(bits[i], best);
  uint candidates = 0xffffffffu;
  if (after_top_k()) candidates = kept(scratch.selections[SELECT_COUNT], distances, best);
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    const uint part = distances[i] >> level_shift();
    if (distances[i] == NO_DISTANCE || (candidates >> i & 1) == 0) continue;
    if (part >> LEVEL_BITS == selection.distance) add_to_bin(part & BINS - 1, amount_of(distances[i]));
  }
  barrier();
  merge_bins();
  if (last_workgroup()) choose_bin(selection);
}
