import { testDecoder } from "../support/golden.ts";

testDecoder("lfm2 mixes gated short convolutions with attention layers", "lfm2");
testDecoder("lfm2moe routes by sigmoid with a selection bias after its dense layers", "lfm2moe");
