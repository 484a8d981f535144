// Top-k and top-p over a whole vocabulary without sorting it: both keep every token down to some entry, which is found by
// summing tokens into bins that are ordered from the best token down, and looking into the bin where the sum is reached.

float best_logit() { return entry_value(scratch.best); }

// The first bins are cut by the distance d of a logit from the best one, by the leading bits of d + 8 as a float: 256 bins
// each for d below 8, 24, 56 and 120, where probabilities are below 1e-52; the last bin holds what is farther away too.
uint bin_of(float logit, float best) {
  precise const float shifted = best - logit + 8.0;
  return min((floatBitsToUint(shifted) - floatBitsToUint(8.0)) >> 15, BINS - 1);
}

// Probability relative to the best token's, in units of 2^-31.
uint mass_of(float logit, float best) { return uint(round(exp(logit - best) * 2147483648.0)); }

// The share that top-p keeps of a mass, at least 1: what the best tokens must add up to.
uint64_t top_p_share(uint64_t total) {
  const uint64_t fraction = params.topPFraction;
  return max((total >> 32) * fraction + ((total & 0xffffffffu) * fraction >> 32), uint64_t(1));
}

// 64-bit sums, in two words.
shared uint low[BINS];
shared uint high[BINS];

void add_to_bin(uint b, uint amount) {
  const uint old = atomicAdd(low[b], amount);
  if (old + amount < old) atomicAdd(high[b], 1);
}

uint64_t two_words(uint low_word, uint high_word) { return uint64_t(high_word) << 32 | uint64_t(low_word); }

// Sum of the values of this lane and all before it, and that of all lanes. Uses `low` and `high`.
uint64_t inclusive_sum(uint64_t value, out uint64_t total) {
  barrier(); // the words may still be read
  uint start = 0; // two halves take turns, so that a round needs one barrier
  low[lane()] = uint(value);
  high[lane()] = uint(value >> 32);
  barrier();
  for (uint size = 1; size < LANES; size *= 2) {
    if (lane() >= size) value += two_words(low[start + lane() - size], high[start + lane() - size]);
    start = LANES - start;
    low[start + lane()] = uint(value);
    high[start + lane()] = uint(value >> 32);
    barrier();
  }
  total = two_words(low[start + LANES - 1], high[start + LANES - 1]);
  return value;
}

// Bins of a lane are neighbours.
const uint BINS_PER_LANE = BINS / LANES;
uint bin_of_lane(uint i) { return lane() * BINS_PER_LANE + i; }

struct Reached {
  uint bin; // BINS: none
  uint64_t before; // sum of the bins before
  uint64_t sum; // of this bin
};
shared Reached reached;

// Leaves in `reached` the bin with which the sum of all bins reaches `goal`, above 0. `sums`: of this lane's bins;
// `before`: of all bins before them.
void find_bin(uint64_t sums[BINS_PER_LANE], uint64_t before, uint64_t goal) {
  barrier();
  if (lane() == 0) reached.bin = BINS;
  barrier();
  [[unroll]] for (uint i = 0; i < BINS_PER_LANE; i++) {
    if (before < goal && goal <= before + sums[i]) reached = Reached(bin_of_lane(i), before, sums[i]);
    before += sums[i];
  }
  barrier();
}
