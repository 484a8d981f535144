import { testDecoder } from "../support/golden.ts";

testDecoder("command-r runs both halves in parallel from one bias-free layer norm", "command_r");
testDecoder("cohere2 rotates in layers with a window only", "cohere2");
