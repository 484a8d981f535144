import { testDecoder } from "../support/golden.ts";

testDecoder("bloom biases scores by distance (ALiBi) and norms its embeddings", "bloom");
