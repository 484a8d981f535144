import { testDecoder } from "../support/golden.ts";

testDecoder("phi2 runs both halves in parallel from one norm and has biases everywhere", "phi2");
