// Makes recently seen tokens less likely: src/inference/sampling/penalties.ts. Changes the logits in place.
// One lane per recent token; the first lane that has a token owns it.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/sample.glsl"

uint recent_token(uint back) { return params.history[(params.historyCount - 1 - back) % HISTORY_LENGTH]; }

void main() {
  const uint index = gl_GlobalInvocationID.x;
  const uint window = min(params.repeatLastN, params.historyCount);
  if (step.stopped != 0 || index >= window) return;
  const uint token = recent_token(index);
  if (token >= vocabulary) return;
  uint count = 0;
  for (uint i = 0; i < window; i++) {
    if (recent_token(i) != token) continue;
    if (i < index) return;
    count++;
  }
  const float logit = uintBitsToFloat(logits.bits[token]);
  const float repeated = logit * (logit > 0 ? params.repeatInverse : params.repeatFactor);
  const float penalised = repeated - (float(count) * params.frequencyPenalty + params.presencePenalty);
  logits.bits[token] = floatBitsToUint(penalised);
}
