import { testDecoder } from "../support/golden.ts";

testDecoder(
  "qwen3next shares key heads among neighbouring value heads and gates attention's output",
  "qwen3next",
);
testDecoder("qwen35 shares key heads among value heads in turn", "qwen35");
testDecoder("qwen35moe adds experts and a gated shared one to every layer", "qwen35moe");
