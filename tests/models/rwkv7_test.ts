import { testDecoder } from "../support/golden.ts";

testDecoder(
  "rwkv7 blends each token with the one before it and draws values towards the first layer's",
  "rwkv7",
);
