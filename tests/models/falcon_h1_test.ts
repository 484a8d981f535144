import { testDecoder } from "../support/golden.ts";

testDecoder("falcon-h1 adds attention and Mamba-2 in each layer", "falcon_h1");
