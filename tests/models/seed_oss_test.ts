import { testDecoder } from "../support/golden.ts";

testDecoder(
  "seed_oss has biases on queries, keys and values and calls its second norm post_attention_norm",
  "seed_oss",
);
