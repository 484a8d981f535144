import { testDecoder } from "../support/golden.ts";

testDecoder("llama rotates adjacent pairs and gates its feed-forward block with SiLU", "llama2");
testDecoder(
  "llama divides rotary frequencies by rope_freqs and ties the output to the token table",
  "llama3_ropefreqs",
);
testDecoder("llama takes a head width that is not hidden / heads", "mistral");
testDecoder("llama reads F16 weights", "llama_f16");
testDecoder("llama reads Q8_0 weights", "llama_q8_0");
testDecoder("llama reads the mixed formats of Q4_K_M", "llama_q4_k_m");
testDecoder("llama reads Q6_K weights", "llama_q6_k");
