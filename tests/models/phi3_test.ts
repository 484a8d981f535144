import { testDecoder } from "../support/golden.ts";

testDecoder("phi3 rotates by the short factors within the original context", "phi3_short");
testDecoder("phi3 rotates by the long factors when the context is opened beyond the original", "phi3_long");
