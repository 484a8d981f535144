import { testDecoder } from "../support/golden.ts";

testDecoder("nemotron_h is Mamba-2, attention or squared-ReLU experts, one per block", "nemotron_h");
