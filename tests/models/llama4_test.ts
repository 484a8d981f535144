import { testDecoder } from "../support/golden.ts";

testDecoder("llama4 weights the expert's input and leaves positions out of every fourth layer", "llama4");
