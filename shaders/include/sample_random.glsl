// Scores of candidates, whose random part is a function of (seed, step, token): src/inference/sampling/random.ts in GLSL.
// Philox4x32-10: Salmon et al. 2011, https://doi.org/10.1145/2063384.2063405.

// The first word of the generator's four.
uint philox4x32(uvec4 counter, uvec2 key) {
  for (uint i = 0; i < 10; i++) {
    uint high0, low0, high1, low1;
    umulExtended(0xd2511f53u, counter.x, high0, low0);
    umulExtended(0xcd9e8d57u, counter.z, high1, low1);
    counter = uvec4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key += uvec2(0x9e3779b9u, 0xbb67ae85u);
  }
  return counter.x;
}

// -ln(1 - v) for v = (word + 0.5) / 2^32, to a few units in the last place. The built-in logarithm is that good only
// away from 1, so small v take the series 2 artanh(s), s = v / (2 - v) <= 1/3, whose next term is below 2^-26.
float exponential(uint word) {
  if (word >= 0x80000000u) return -log((float(~word) + 0.5) * 2.3283064365386963e-10);
  const float v = (float(word) + 0.5) * 2.3283064365386963e-10;
  const float s = v / (2.0 - v);
  const float q = s * s;
  const float tail = q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q * (1.0 / 13))))));
  return 2.0 * (s + s * tail);
}

// What a candidate's score depends on beside its logit.
struct Scoring {
  float minPLog;
  float inverseTemperature;
  uvec2 seed;
  uint rngStep;
};

Scoring load_scoring() {
  return Scoring(params.minPLog, params.inverseTemperature, uvec2(params.seedLow, params.seedHigh), step.rngStep);
}

// Standard Gumbel noise for a token of the running step.
float gumbel_noise(uint id, Scoring scoring) {
  return -log(exponential(philox4x32(uvec4(id, scoring.rngStep, 0, 0), scoring.seed)));
}

// A candidate with its score in place of the logit; 0 for 0 and for what min-p takes away.
uint64_t scored(uint64_t entry, float best, Scoring scoring) {
  const float relative = entry_value(entry) - best;
  if (entry == 0 || relative < scoring.minPLog) return 0;
  const float score = relative * scoring.inverseTemperature + gumbel_noise(entry_id(entry), scoring);
  return pack_entry(order_key(floatBitsToUint(score)), entry_id(entry));
}
