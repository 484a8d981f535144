// The non-linearities of src/kernels/activations.ts, by their index there.
#ifndef ACTIVATIONS_GLSL
#define ACTIVATIONS_GLSL

// tanh without overflow: GLSL's own may compute sinh / cosh. Near 0 a series keeps the relative accuracy.
float safe_tanh(float x) {
  const float s = x * x;
  const float series = x * (1.0 + s * (-1.0 / 3.0 + s * (2.0 / 15.0 + s * (-17.0 / 315.0))));
  const float quotient = 1.0 - 2.0 / (exp(2.0 * min(x, 20.0)) + 1.0);
  return abs(x) < 0.25 ? series : quotient;
}

float sigmoid(float x) { return 1.0 / (1.0 + exp(min(-x, 80.0))); }

// ln(1 + exp(x)) with a small relative error where it is small, which sets the pace of state spaces: ln(1 + e) is
// 2 artanh(s) for s = e / (2 + e) <= 1/3, and its series' next term is below 2^-26. Vulkan's own logarithm is only good to
// 2^-21 near 1.
float softplus(float x) {
  const float e = exp(-abs(x));
  const float s = e / (2.0 + e);
  const float q = s * s;
  const float tail = q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q * (1.0 / 13))))));
  return max(x, 0.0) + 2.0 * (s + s * tail);
}

// Error function, absolute error below 1.2e-7: Numerical Recipes, 2nd edition, section 6.2 (erfcc).
float erf(float x) {
  const float t = 1.0 / (1.0 + 0.5 * abs(x));
  float sum = 0.17087277;
  sum = sum * t - 0.82215223;
  sum = sum * t + 1.48851587;
  sum = sum * t - 1.13520398;
  sum = sum * t + 0.27886807;
  sum = sum * t - 0.18628806;
  sum = sum * t + 0.09678418;
  sum = sum * t + 0.37409196;
  sum = sum * t + 1.00002368;
  const float complement = t * exp(-x * x - 1.26551223 + t * sum);
  return x >= 0.0 ? 1.0 - complement : complement - 1.0;
}

float activate(uint kind, float x) {
  switch (kind) {
    case 1: return x * sigmoid(x); // silu
    case 2: return 0.5 * x * (1.0 + safe_tanh(0.7978845608 * (x + 0.044715 * x * x * x))); // gelu
    case 3: return 0.5 * x * (1.0 + erf(x * 0.7071067812)); // gelu_erf
    case 4: return x * sigmoid(1.702 * x); // gelu_quick
    case 5: return max(x, 0.0); // relu
    case 6: return max(x, 0.0) * max(x, 0.0); // relu_squared
    case 7: return sigmoid(x);
    case 8: return safe_tanh(x);
    case 9: return softplus(x);
    case 10: return exp(x);
    default: return x;
  }
}

#endif
