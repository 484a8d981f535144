import { testDecoder } from "../support/golden.ts";

testDecoder("nemotron norms by layer and squares a ReLU", "nemotron");
