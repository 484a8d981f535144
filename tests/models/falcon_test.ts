import { testDecoder } from "../support/golden.ts";

testDecoder("falcon 7B has one key head and one norm for both parallel halves", "falcon7b");
testDecoder("falcon 40B gives attention a norm of its own, attn_norm_2", "falcon40b");
