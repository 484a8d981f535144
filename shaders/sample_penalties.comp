// Makes recently seen tokens less likely: src/inference/sampling/penalties.ts. Changes the logits in place.
// One workgroup: counts the tokens of the window, then one lane takes each token's count and clears it for the next step.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/sample.glsl"

uint recent_token(uint back) { return params.history[(params.historyCount - 1 - back) % HISTORY_LENGTH]; }

float penalised(float logit, uint count) {
  const float repeated = logit * (logit > 0 ? params.repeatInverse : params.repeatFactor);
  return repeated - (float(count) * params.frequencyPenalty + params.presencePenalty);
}

void main() {
  if (step.stopped != 0) return;
  const uint window = min(params.repeatLastN, min(params.historyCount, HISTORY_LENGTH));
  for (uint i = lane(); i < window; i += LANES) {
    const uint token = recent_token(i);
    if (token < vocabulary) atomicAdd(counts.of[token], 1);
  }
  memoryBarrierBuffer();
  barrier();
  for (uint i = lane(); i < window; i += LANES) {
    const uint token = recent_token(i);
    if (token >= vocabulary) continue;
    const uint count = atomicExchange(counts.of[token], 0);
    if (count > 0) logits.bits[token] = floatBitsToUint(penalised(uintBitsToFloat(logits.bits[token]), count));
  }
}
