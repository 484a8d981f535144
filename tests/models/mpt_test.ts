import { testDecoder } from "../support/golden.ts";

testDecoder("mpt biases scores by distance (ALiBi) and has no biases of its own", "mpt");
