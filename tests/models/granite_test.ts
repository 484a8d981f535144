import { testDecoder } from "../support/golden.ts";

testDecoder("granite multiplies embeddings, residuals and scores, and divides its logits", "granite");
