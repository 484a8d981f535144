import { testDecoder } from "../support/golden.ts";

testDecoder("smollm3 has no positions in every 4th layer", "smollm3");
