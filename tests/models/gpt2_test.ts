import { testDecoder } from "../support/golden.ts";

testDecoder("gpt2 adds learned positions and has biases everywhere", "gpt2");
testDecoder("starcoder is GPT-2 with one key head", "starcoder");
