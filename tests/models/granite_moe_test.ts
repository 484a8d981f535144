import { testDecoder } from "../support/golden.ts";

testDecoder("granitemoe scales embeddings, residuals, scores and logits around its experts", "granitemoe");
