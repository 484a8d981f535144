import { testDecoder } from "../support/golden.ts";

testDecoder(
  "granitehybrid mixes Mamba-2 with attention without positions, with Granite's multipliers",
  "granitehybrid",
);
