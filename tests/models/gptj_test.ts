import { testDecoder } from "../support/golden.ts";

testDecoder("gptj runs both halves in parallel from one norm and has a bias on its logits", "gptj");
