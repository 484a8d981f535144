/**
 * The non-linearities of feed-forward blocks and gates, by the names the field uses.
 *
 * GELU: Hendrycks & Gimpel 2016, https://arxiv.org/abs/1606.08415 (`gelu` is its tanh form, `gelu_erf` the exact
 * one, `gelu_quick` the sigmoid form). SiLU/Swish: https://arxiv.org/abs/1710.05941. Squared ReLU: https://arxiv.org/abs/2109.08668.
 */

/** Names of the activations; the index is the number that shaders use. */
export const ACTIVATIONS = [
  "none",
  "silu",
  "gelu",
  "gelu_erf",
  "gelu_quick",
  "relu",
  "relu_squared",
  "sigmoid",
  "tanh",
  "softplus",
  "exp",
] as const;

/** One of {@linkcode ACTIVATIONS}. */
export type Activation = (typeof ACTIVATIONS)[number];

/** The number that shaders know an activation by. */
export function activationIndex(kind: Activation): number {
  return ACTIVATIONS.indexOf(kind);
}

/** The activation applied to one number. */
export function activate(kind: Activation, x: number): number {
  switch (kind) {
    case "none":
      return x;
    case "silu":
      return x / (1 + Math.exp(-x));
    case "gelu":
      return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
    case "gelu_erf":
      return 0.5 * x * (1 + erf(x * Math.SQRT1_2));
    case "gelu_quick":
      return x / (1 + Math.exp(-1.702 * x));
    case "relu":
      return Math.max(x, 0);
    case "relu_squared":
      return Math.max(x, 0) ** 2;
    case "sigmoid":
      return 1 / (1 + Math.exp(-x));
    case "tanh":
      return Math.tanh(x);
    case "softplus":
      return x > 20 ? x : Math.log1p(Math.exp(x));
    case "exp":
      return Math.exp(x);
  }
}

/** Error function, absolute error below 1.2e-7: Numerical Recipes, 2nd edition, section 6.2 (`erfcc`). */
export function erf(x: number): number {
  const t = 1 / (1 + 0.5 * Math.abs(x));
  const polynomial = [
    1.00002368,
    0.37409196,
    0.09678418,
    -0.18628806,
    0.27886807,
    -1.13520398,
    1.48851587,
    -0.82215223,
    0.17087277,
  ];
  let sum = 0;
  for (let i = polynomial.length - 1; i >= 0; i--) sum = sum * t + polynomial[i];
  const complement = t * Math.exp(-x * x - 1.26551223 + t * sum);
  return x >= 0 ? 1 - complement : complement - 1;
}
