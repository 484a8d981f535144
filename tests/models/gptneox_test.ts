import { testDecoder } from "../support/golden.ts";

testDecoder("gptneox runs both halves in parallel, each through its own norm", "gptneox");
testDecoder("gptneox runs one half after the other where use_parallel_residual is false", "gptneox_seq");
