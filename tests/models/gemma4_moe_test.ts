import { testDecoder } from "../support/golden.ts";

testDecoder(
  "gemma4 runs a dense block and routed experts side by side and shares K = V in global layers",
  "gemma4_moe",
);
