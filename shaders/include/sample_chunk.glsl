// The tokens of one workgroup: CHUNK consecutive ids, which the including file defines, PER_LANE of them in each lane,
// by fours. The first kernel of a step loads them with the penalties of src/inference/sampling/penalties.ts.
const uint PER_LANE = CHUNK / LANES;

uint chunk_place(uint i) { return (i / 4) * 4 * LANES + lane() * 4 + i % 4; }
uint chunk_id(uint i) { return gl_WorkGroupID.x * CHUNK + chunk_place(i); }

// Bits of the logits of this lane's tokens.
void load_chunk(out uint bits[PER_LANE]) {
  [[unroll]] for (uint i = 0; i < PER_LANE; i += 4) {
    const uvec4 four = load_logits4(chunk_id(i));
    [[unroll]] for (uint j = 0; j < 4; j++) bits[i + j] = four[j];
  }
}

shared uint occurrences[CHUNK / 2]; // of the chunk's tokens in the penalties' window, two counts of 16 bits per word
shared uint recent_tokens; // of the window in the chunk

// Tokens of the window that a lane asks for at once.
const uint RECENT_AT_ONCE = LANES / 32;

// Token that was chosen `back` tokens before the last one; 0xffffffff before the window.
uint recent_token(uint back, uint count, uint window) {
  return back < window ? params.history[(count - 1 - back) % HISTORY_LENGTH] : 0xffffffffu;
}

float penalised(float logit, uint count) {
  const float repeated = logit * (logit > 0 ? params.repeatInverse : params.repeatFactor);
  return repeated - (float(count) * params.frequencyPenalty + params.presencePenalty);
}

// Makes recently seen tokens less likely, here and in memory for later kernels. Every workgroup looks through the window for its own tokens.
void penalise_chunk(inout uint bits[PER_LANE]) {
  for (uint i = lane(); i < CHUNK / 2; i += LANES) occurrences[i] = 0;
  if (lane() == 0) recent_tokens = 0;
  barrier();
  const uint count = params.historyCount;
  const uint window = min(params.repeatLastN, min(count, HISTORY_LENGTH));
  for (uint start = 0; start < window; start += RECENT_AT_ONCE * LANES) {
    uint recent[RECENT_AT_ONCE];
    [[unroll]] for (uint i = 0; i < RECENT_AT_ONCE; i++) recent[i] = recent_token(start + i * LANES + lane(), count, window);
    [[unroll]] for (uint i = 0; i < RECENT_AT_ONCE; i++) {
      const uint place = recent[i] - gl_WorkGroupID.x * CHUNK;
      if (place >= CHUNK || recent[i] >= vocabulary) continue;
      atomicAdd(occurrences[place / 2], 1u << place % 2 * 16);
      atomicAdd(recent_tokens, 1);
    }
  }
  barrier();
  if (recent_tokens == 0) return;
  [[unroll]] for (uint i = 0; i < PER_LANE; i += 4) {
    const uint word = chunk_place(i) / 2;
    const uvec2 words = uvec2(occurrences[word], occurrences[word + 1]);
    if (words == uvec2(0)) continue;
    const uvec4 found = uvec4(words.xxyy >> uvec4(0, 16, 0, 16)) & 0xffffu;
    [[unroll]] for (uint j = 0; j < 4; j++) {
      if (found[j] == 0) continue;
      bits[i + j] = floatBitsToUint(penalised(uintBitsToFloat(bits[i + j]), found[j]));
      if (!has(FLAG_LAST)) logits.bits[chunk_id(i + j)] = bits[i + j];
    }
  }
}

// What the first kernel of a step does with the bits that it has loaded: penalties, and the search for broken logits.
void prepare_chunk(inout uint bits[PER_LANE]) {
  if (has(FLAG_PENALTIES)) penalise_chunk(bits);
  bool broken = false;
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) broken = broken || not_finite(bits[i]);
  if (broken) atomicOr(step.error, STEP_ERROR_NON_FINITE_LOGITS);
}

// The entry of the best token of the chunk, in all lanes.
uint64_t best_of_chunk(uint bits[PER_LANE]) {
  uint64_t best = 0;
  [[unroll]] for (uint i = 0; i < PER_LANE; i++) best = max(best, logit_entry(bits[i], chunk_id(i)));
  return workgroup_max(best);
}
