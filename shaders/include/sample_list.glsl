// The list of tokens that top-k or top-p may take away: those of the bins in which the wanted sums are reached, in any
// order. It is short unless thousands of logits are nearly equal. One workgroup finds out which of them stay.

const uint LIST_PER_LANE = LANES / 32;
const uint BLOCK = LIST_PER_LANE * LANES;

bool is_listed(uint b, Selection selection) {
  return (b >= selection.first && b < selection.end) || (b == selection.topKBin && selection.topKMissing > 0);
}

uint list_begin() { return 2 * gl_NumWorkGroups.x; } // in scratch.entries

shared uint reserved;
shared uint reserved_begin;

// Where in scratch.entries this lane may put `own` entries.
uint reserve_list(uint own) {
  if (lane() == 0) reserved = 0;
  barrier();
  const uint place = own > 0 ? atomicAdd(reserved, own) : 0;
  barrier();
  if (lane() == 0 && reserved > 0) reserved_begin = list_begin() + atomicAdd(scratch.listLength, reserved);
  barrier();
  return reserved_begin + place;
}

uint list_length;
uint64_t listed[LIST_PER_LANE]; // this lane's entries of a block, 0 behind the end

void load_block(uint start) {
  [[unroll]] for (uint i = 0; i < LIST_PER_LANE; i++) {
    const uint index = start + i * LANES + lane();
    const uint64_t entry = scratch.entries[list_begin() + min(index, vocabulary - 1)];
    listed[i] = index < list_length ? entry : 0;
  }
}

// The first block, for which no lane waits until the length is there.
void load_list() {
  list_length = scratch.listLength;
  load_block(0);
}

// For loops over the list: the only block stays in registers.
void load_next(uint start) {
  if (list_length > BLOCK) load_block(start);
}

// Which entries add up to a sum, best first.
struct Search {
  uint first; // bins from this one
  uint end; // before this one
  uint64_t lowest; // entries from this one
  uint64_t highest; // to this one
  bool by_mass; // what they add: their mass, or 1
  float best;
};

bool takes_part(uint64_t entry, Search search) {
  const uint b = bin_of(entry_value(entry), search.best);
  return entry >= search.lowest && entry <= search.highest && b >= search.first && b < search.end;
}

// Narrows a search to the entries that there are.
void tighten(inout Search search) {
  uint64_t lowest = ~uint64_t(0);
  uint64_t highest = 0;
  for (uint start = 0; start < list_length; start += BLOCK) {
    load_next(start);
    [[unroll]] for (uint i = 0; i < LIST_PER_LANE; i++) {
      if (!takes_part(listed[i], search)) continue;
      lowest = min(lowest, listed[i]);
      highest = max(highest, listed[i]);
    }
  }
  search.lowest = ~workgroup_max(~lowest);
  search.highest = workgroup_max(highest);
}

// log2 of the entries per bin, so that all entries up to `range` away from the first fit into the bins.
uint bin_shift(uint64_t range) {
  const uint high_word = uint(range >> 32);
  const int top_bit = high_word != 0 ? 32 + findMSB(high_word) : findMSB(uint(range));
  return uint(max(top_bit + 1 - findMSB(BINS), 0));
}

// The entry with which the sum reaches `goal`: every round looks into one of the bins of the one before.
uint64_t reach(Search search, uint64_t goal) {
  for (;;) {
    tighten(search);
    if (search.lowest >= search.highest) return search.lowest;
    const uint64_t range = search.highest - search.lowest;
    const uint shift = bin_shift(range);
    for (uint b = lane(); b < BINS; b += LANES) low[b] = high[b] = 0;
    barrier();
    for (uint start = 0; start < list_length; start += BLOCK) {
      load_next(start);
      [[unroll]] for (uint i = 0; i < LIST_PER_LANE; i++) {
        if (!takes_part(listed[i], search)) continue;
        const uint amount = search.by_mass ? mass_of(entry_value(listed[i]), search.best) : 1;
        add_to_bin(uint(search.highest - listed[i] >> shift), amount);
      }
    }
    barrier();
    uint64_t sums[BINS_PER_LANE];
    uint64_t own = 0;
    [[unroll]] for (uint i = 0; i < BINS_PER_LANE; i++) {
      sums[i] = two_words(low[bin_of_lane(i)], high[bin_of_lane(i)]);
      own += sums[i];
    }
    uint64_t total;
    const uint64_t before = inclusive_sum(own, total) - own;
    find_bin(sums, before, goal);
    // Can only be where exp() rounds otherwise than in sample_select.comp.
    if (reached.bin == BINS) return search.lowest;
    goal -= reached.before;
    const uint64_t first = uint64_t(reached.bin) << shift;
    const uint64_t last = first + (uint64_t(1) << shift) - 1;
    if (last < range) search.lowest = search.highest - last;
    search.highest -= first;
  }
}

// The lowest entry that top-k and top-p leave.
uint64_t find_lowest(Selection selection, float best) {
  barrier(); // every lane has loaded the length
  if (lane() == 0) scratch.listLength = 0;
  uint64_t lowest = 1;
  uint64_t mass = 0; // of what top-k leaves in its last bin
  if (selection.topKMissing > 0) {
    const Search search = Search(selection.topKBin, selection.topKBin + 1, lowest, ~uint64_t(0), false, best);
    lowest = reach(search, selection.topKMissing);
    for (uint start = 0; has(FLAG_TOP_P) && start < list_length; start += BLOCK) {
      load_next(start);
      [[unroll]] for (uint i = 0; i < LIST_PER_LANE; i++) {
        const float logit = entry_value(listed[i]);
        if (listed[i] >= lowest && bin_of(logit, best) == selection.topKBin) mass += mass_of(logit, best);
      }
    }
  }
  if (!has(FLAG_TOP_P)) return lowest;
  uint64_t total;
  inclusive_sum(mass, total);
  const uint64_t goal = top_p_share(selection.topKMass + total) - selection.firstMass;
  return reach(Search(selection.first, selection.end, lowest, ~uint64_t(0), true, best), goal);
}
