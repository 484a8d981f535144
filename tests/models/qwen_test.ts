import { testDecoder } from "../support/golden.ts";

testDecoder("qwen2 has biases on queries, keys and values", "qwen2");
testDecoder("qwen3 norms each head of queries and keys", "qwen3");
