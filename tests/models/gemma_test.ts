import { testDecoder, testEncoder } from "../support/golden.ts";

testDecoder("gemma scales its embeddings by the root of their width", "gemma");
testDecoder(
  "gemma2 caps scores and logits, norms around each half and has a window in every other layer",
  "gemma2",
);
testDecoder("gemma3 has two rotary bases and five windowed layers to one global", "gemma3");
testEncoder(
  "gemma-embedding looks both ways through windows of half the width on each side",
  "gemma_embedding",
);
