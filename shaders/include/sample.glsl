// What the sampler kernels share: parameters, the order of candidates, and how a group of workgroups ends a step.
//
// Candidates are ordered by logit, highest first, and by id among equals. An *entry* holds this order in one integer:
// the logit's order-preserving bits above the complement of the id, so that "better" is ">" and no two are equal.
// 0 is no candidate. All results are independent of the order in which workgroups run: only integers are accumulated.
#ifndef SAMPLE_GLSL
#define SAMPLE_GLSL
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "step.glsl"
#include "tickets.glsl"

layout(local_size_x_id = 0) in;
const uint LANES = gl_WorkGroupSize.x; // a power of two from 32 to 256

const uint END_OF_GENERATION_MAX = 64;
const uint HISTORY_LENGTH = 4096;

// Written by src/kernels/sample_params.ts at the start of a generation; the history goes on growing here.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer SamplerParams {
  float inverseTemperature;
  uint topK; // 0 keeps all
  float topP; // 1 keeps all
  uint topPFraction; // topP * 2^32, for sums of integers
  float minPLog; // ln(minP), the lowest float for 0
  float repeatFactor; // on negative logits
  float repeatInverse; // on positive logits
  float presencePenalty;
  float frequencyPenalty;
  uint repeatLastN;
  uint seedLow;
  uint seedHigh;
  uint endOfGenerationCount;
  uint endOfGeneration[END_OF_GENERATION_MAX];
  uint historyCount; // tokens so far; the last HISTORY_LENGTH of them are in the ring below
  uint history[HISTORY_LENGTH];
};

// What the top-k and top-p filters are known to leave once bins of tokens are counted (sample_select.glsl). Bins before
// `first` stay; those from `first` before `end` contain the last token of top-p, bin `topKBin` the last one of top-k.
struct Selection {
  uint topKBin;
  uint topKMissing; // tokens of this bin that stay; 0: none, which need not be found out
  uint first;
  uint end;
  uint64_t topKMass; // of all bins before topKBin
  uint64_t firstMass; // of all bins before `first`
};

const uint BINS = 1024;

// Memory of the sampler alone, zeroed once before the first step.
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer SamplerScratch {
  uint finished; // ticket of the running dispatch: see tickets.glsl
  uint listLength; // 0 between dispatches
  uint64_t best; // entry of the best token
  Selection selection;
  uint histogram[3 * BINS]; // counts, then two words of masses each (sample_select.comp); 0 between dispatches
  uint64_t entries[]; // one or more per workgroup, then a list
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Logits { uint bits[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer Logits4 { uvec4 bits[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Ring { uint tokens[]; };

layout(push_constant, scalar) uniform Push {
  Step step;
  SamplerParams params;
  SamplerScratch scratch;
  Logits logits; // [vocabulary]
  Ring ring;
  uint ringLength;
  uint vocabulary;
};

// What the pipeline is for: without branches for the rest, which software devices would pay for.
layout(constant_id = 1) const uint FLAGS = 0;
const uint FLAG_TOP_K = 1; // top-k by counting
const uint FLAG_TOP_P = 2;
const uint FLAG_FIRST = 4; // no dispatch of the step's sampler comes before this one
const uint FLAG_LAST = 8; // none comes after it
const uint FLAG_PENALTIES = 16;

bool has(uint flag) { return (FLAGS & flag) != 0; }

uint lane() { return gl_LocalInvocationIndex; }

const uint EXCLUDED = 0xff800000u; // the bits of -infinity: a token that must not be chosen
const uint KEY_EXCLUDED = 0x00800000u; // their key

// Orders the bits of floats as unsigned integers; -0 equals 0.
uint order_key(uint bits) { return (bits >> 31) != 0 ? 0u - bits : bits | 0x80000000u; }
float key_value(uint key) { return uintBitsToFloat((key >> 31) != 0 ? key & 0x7fffffffu : 0u - key); }

uint64_t pack_entry(uint key, uint id) { return uint64_t(key) << 32 | uint64_t(~id); }
float entry_value(uint64_t entry) { return key_value(uint(entry >> 32)); }
uint entry_id(uint64_t entry) { return ~uint(entry); }

// The entry of a token whose logit has these bits; 0 if it is excluded.
uint64_t logit_entry(uint bits, uint id) {
  const uint key = order_key(bits);
  return key > KEY_EXCLUDED ? pack_entry(key, id) : 0;
}

bool not_finite(uint bits) { return (bits & 0x7fffffffu) >= 0x7f800000u && bits != EXCLUDED; }

// The logits of four tokens, the first a multiple of 4; tokens behind the vocabulary are excluded.
uvec4 load_logits4(uint id) {
  if (id + 4 <= vocabulary) return Logits4(uint64_t(logits)).bits[id >> 2];
  uvec4 bits;
  [[unroll]] for (uint i = 0; i < 4; i++) bits[i] = id + i < vocabulary ? logits.bits[id + i] : EXCLUDED;
  return bits;
}

shared uint64_t subgroup_results[64]; // 256 lanes in subgroups of 4

// The largest value of all lanes, in all lanes.
uint64_t workgroup_max(uint64_t value) {
  const uint high = subgroupMax(uint(value >> 32));
  const uint low = subgroupMax(uint(value >> 32) == high ? uint(value) : 0u);
  barrier(); // results of an earlier call may still be read
  if (subgroupElect()) subgroup_results[gl_SubgroupID] = uint64_t(high) << 32 | uint64_t(low);
  barrier();
  uint64_t best = 0;
  for (uint i = 0; i < gl_NumSubgroups; i++) best = max(best, subgroup_results[i]);
  return best;
}

// True in the workgroup that calls this last; it sees everything that all others wrote to the scratch before.
bool last_workgroup() { return draws_last_ticket(Tickets(uint64_t(scratch)), 0, gl_NumWorkGroups.x); }

// The largest of the entries that all workgroups left from `first` on, each at its index.
uint64_t best_of_workgroups(uint first) {
  uint64_t best = 0;
  for (uint i = lane(); i < gl_NumWorkGroups.x; i += LANES) best = max(best, scratch.entries[first + i]);
  return workgroup_max(best);
}

const uint NO_TOKEN = 0xffffffffu;
const uint STOPS_PER_LANE = END_OF_GENERATION_MAX / 32; // enough for the fewest lanes

// What the end of a step depends on beside the winner.
struct StepEnd {
  uint error; // in lane 0
  uint ringIndex;
  uint rngStep;
  uint nextPosition;
  uint historyCount;
  uint stops[STOPS_PER_LANE]; // end-of-generation tokens
};

// For the last workgroup, together with what it finds the winner in, so that the ones don't wait for the others.
StepEnd load_step_end() {
  StepEnd end;
  end.error = lane() == 0 ? atomicOr(step.error, 0) : 0; // an atomic sees what other workgroups have found
  end.ringIndex = step.ringIndex;
  end.rngStep = step.rngStep;
  end.nextPosition = step.position + step.tokenCount;
  end.historyCount = params.historyCount;
  [[unroll]] for (uint i = 0; i < STOPS_PER_LANE; i++) {
    const uint index = i * LANES + lane();
    const uint token = params.endOfGeneration[min(index, END_OF_GENERATION_MAX - 1)];
    end.stops[i] = index < params.endOfGenerationCount ? token : NO_TOKEN;
  }
  return end;
}

// Lane 0: ends the generation when there is an error or no winner.
bool stop_on_error(uint64_t winner, StepEnd end) {
  const uint error = end.error | (winner == 0 ? STEP_ERROR_NO_CANDIDATE : 0);
  if (error == 0) return false;
  step.error = error;
  step.stopped = 1;
  ring.tokens[end.ringIndex % ringLength] = RING_ERROR | error;
  step.ringIndex = end.ringIndex + 1;
  return true;
}

// All lanes: the winner becomes the input of the next step.
void advance(uint64_t winner, StepEnd end) {
  const uint token = entry_id(winner); // NO_TOKEN if there is none, which stops anyway
  [[unroll]] for (uint i = 0; i < STOPS_PER_LANE; i++) {
    if (end.stops[i] == token) step.stopped = 1;
  }
  if (lane() != 0 || stop_on_error(winner, end)) return;
  ring.tokens[end.ringIndex % ringLength] = token;
  step.ringIndex = end.ringIndex + 1;
  step.rngStep = end.rngStep + 1;
  step.position = end.nextPosition;
  step.tokenCount = 1;
  step.tokens[0] = token;
  params.history[end.historyCount % HISTORY_LENGTH] = token;
  params.historyCount = end.historyCount + 1;
}

#endif
