// The end of a softmax-weighted sum.
#ifndef ATTENTION_FINISH_GLSL
#define ATTENTION_FINISH_GLSL

#include "buffers.glsl"

// The weighted mean from a sum with weights exp(score - peak), their total, and a head's sink, if there are sinks: a
// logit that takes part in the total only. A row that sees nothing gives 0.
float attention_result(float sum, float peak, float total, Floats sinks, uint head) {
  if (present(sinks)) {
    const float sink = sinks.v[head];
    const float highest = max(peak, sink);
    sum *= exp(peak - highest);
    total = total * exp(peak - highest) + exp(sink - highest);
  }
  return total > 0.0 ? sum / total : 0.0;
}

#endif
