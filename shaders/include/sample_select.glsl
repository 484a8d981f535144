// Top-k and top-p over a whole vocabulary without sorting it: both keep every token up to some distance from the best
// one, found by descending three levels of a histogram of distances.
//
// A distance is `best logit - logit` in units of 2^-22, 30 bits: finer than float32 at logits above 1. Tokens 256 and
// more below the best one count as equally far; their probability is below 1e-111.

const uint DISTANCE_BITS = 30;
const float DISTANCE_SCALE = 4194304.0; // 2^22
const float DISTANCE_MAX = 1073741760.0; // the largest float below 2^30
const uint NO_DISTANCE = 0xffffffffu; // no candidate
const uint LEVEL_BITS = 10; // log2(BINS)
const uint LEVELS = 3;

float best_logit() { return entry_value(scratch.best); }

uint distance_of(uint bits, float best) {
  if (order_key(bits) <= KEY_EXCLUDED) return NO_DISTANCE;
  return uint(min((best - uintBitsToFloat(bits)) * DISTANCE_SCALE, DISTANCE_MAX));
}

// Probability relative to the best token's, in units of 2^-31. A function of the distance, so that ties are equal.
uint mass_of(uint distance) { return uint(round(exp(float(distance) * -(1.0 / DISTANCE_SCALE)) * 2147483648.0)); }

shared uint64_t scanned[LANES];

// Sum of the values of this lane and all before it; the last lane's is left in scanned[LANES - 1].
uint64_t inclusive_sum(uint64_t value) {
  barrier();
  scanned[lane()] = value;
  barrier();
  for (uint step_size = 1; step_size < LANES; step_size *= 2) {
    const uint64_t before = lane() >= step_size ? scanned[lane() - step_size] : 0;
    barrier();
    value += before;
    scanned[lane()] = value;
    barrier();
  }
  return value;
}

// Rank of this lane's first token among all tokens at `distance`, by id, given how many of its own tokens are.
uint tie_rank(uint distance, uint own, float best) {
  uint64_t earlier = 0;
  for (uint id = lane(); id < gl_WorkGroupID.x * CHUNK; id += LANES) {
    earlier += uint(distance_of(logits.bits[id], best) == distance);
  }
  inclusive_sum(earlier);
  const uint64_t before_chunk = scanned[LANES - 1];
  return uint(before_chunk + inclusive_sum(own)) - own;
}

// Which of this lane's tokens a finished selection keeps, as a bit mask. Uniform control flow.
uint kept(Selection selection, uint distances[PER_LANE], float best) {
  uint closer = 0;
  uint ties = 0;
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    closer |= uint(distances[i] < selection.distance) << i;
    ties |= uint(distances[i] == selection.distance) << i;
  }
  if (selection.keep >= selection.ties) return closer | ties;
  uint rank = tie_rank(selection.distance, bitCount(ties), best);
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    if ((ties >> i & 1) != 0 && rank++ < selection.keep) closer |= 1u << i;
  }
  return closer;
}
