import { testDecoder } from "../support/golden.ts";

testDecoder("starcoder2 rotates, with biases everywhere and a plain GELU block", "starcoder2");
