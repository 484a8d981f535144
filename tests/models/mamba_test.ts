import { testDecoder } from "../support/golden.ts";

testDecoder("mamba carries a decaying state per channel from chunk to chunk", "mamba");
testDecoder("mamba2 has one decay per head and norms the gated output", "mamba2");
