// Sums all tokens into the bins of include/sample_select.glsl, and lets the last workgroup choose those of top-k and top-p.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/sample.glsl"
const uint CHUNK = 2048;
#include "include/sample_chunk.glsl"
#include "include/sample_select.glsl"

shared uint counts[BINS];
shared uint64_t mass_at_top_k[2]; // of the bins before the last one of top-k, and its own

// The sums of all workgroups have two words of 21 bits and what they carry, which is enough for 2^22 tokens: no atomic
// has to wait for what another returns.
const uint WORD_BITS = 21;

// Adds this workgroup's bins to everyone's.
void merge_bins() {
  for (uint b = lane(); b < BINS; b += LANES) {
    if (counts[b] != 0) atomicAdd(scratch.histogram[b], counts[b]);
    const uint64_t mass = two_words(low[b], high[b]);
    if (mass == 0) continue;
    atomicAdd(scratch.histogram[BINS + b], uint(mass) & (1u << WORD_BITS) - 1);
    atomicAdd(scratch.histogram[2 * BINS + b], uint(mass >> WORD_BITS));
  }
}

uint take(uint word) { return atomicExchange(scratch.histogram[word], 0); }

// Reads and clears the histogram, and chooses the bins in which the wanted sums are reached.
void choose_bins() {
  uint64_t counted[BINS_PER_LANE];
  uint64_t masses[BINS_PER_LANE];
  uint64_t count = 0;
  uint64_t mass = 0;
  [[unroll]] for (uint i = 0; i < BINS_PER_LANE; i++) {
    const uint b = bin_of_lane(i);
    counted[i] = has(FLAG_TOP_K) ? take(b) : 0;
    masses[i] = has(FLAG_TOP_P) ? uint64_t(take(BINS + b)) + (uint64_t(take(2 * BINS + b)) << WORD_BITS) : 0;
    count += counted[i];
    mass += masses[i];
  }
  uint64_t total_count = 0;
  uint64_t total_mass = 0;
  const uint64_t counts_before = has(FLAG_TOP_K) ? inclusive_sum(count, total_count) - count : 0;
  const uint64_t masses_before = has(FLAG_TOP_P) ? inclusive_sum(mass, total_mass) - mass : 0;

  Selection selection = Selection(BINS, 0, BINS, BINS, total_mass, 0);
  uint64_t top_k_bin_mass = 0;
  if (has(FLAG_TOP_K)) {
    const uint64_t goal = min(uint64_t(params.topK), total_count);
    find_bin(counted, counts_before, goal);
    selection.topKMissing = uint(goal - reached.before);
    selection.topKBin = reached.bin;
    if (selection.topKMissing == reached.sum) {
      selection.topKMissing = 0;
      selection.topKBin++;
    }
    selection.first = selection.end = selection.topKBin;
    uint64_t before = masses_before;
    [[unroll]] for (uint i = 0; i < BINS_PER_LANE; i++) {
      if (bin_of_lane(i) == selection.topKBin) mass_at_top_k = uint64_t[2](before, masses[i]);
      before += masses[i];
    }
    barrier();
    if (selection.topKBin < BINS) selection.topKMass = mass_at_top_k[0];
    if (selection.topKMissing > 0) top_k_bin_mass = mass_at_top_k[1];
  }
  if (has(FLAG_TOP_P)) {
    // How much of its last bin top-k leaves is not known yet, but what top-p wants lies between these two.
    const uint64_t least = top_p_share(selection.topKMass);
    const uint64_t most = top_p_share(selection.topKMass + top_k_bin_mass);
    find_bin(masses, masses_before, least);
    selection.first = reached.bin;
    selection.firstMass = reached.before;
    find_bin(masses, masses_before, most);
    selection.end = reached.bin + 1;
  }
  if (lane() == 0) scratch.selection = selection;
}

void main() {
  uint bits[PER_LANE];
  load_chunk(bits);
  const float best = best_logit();
  if (step.stopped != 0) return;
  for (uint b = lane(); b < BINS; b += LANES) counts[b] = low[b] = high[b] = 0;
  barrier();
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) {
    if (logit_entry(bits[i], 0) == 0) continue;
    const float logit = uintBitsToFloat(bits[i]);
    const uint b = bin_of(logit, best);
    if (has(FLAG_TOP_K)) atomicAdd(counts[b], 1);
    if (has(FLAG_TOP_P)) add_to_bin(b, mass_of(logit, best));
  }
  barrier();
  merge_bins();
  if (last_workgroup()) choose_bins();
}
