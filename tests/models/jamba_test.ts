import { testDecoder } from "../support/golden.ts";

testDecoder("jamba norms step sizes, B and C, and puts experts in every second layer", "jamba");
