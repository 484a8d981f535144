import { testDecoder } from "../support/golden.ts";

testDecoder(
  "gemma4 adds per-layer embeddings, has heads of two sizes and shares keys in its last layers",
  "gemma4",
);
