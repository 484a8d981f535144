import { testDecoder } from "../support/golden.ts";

testDecoder("qwen2moe adds a shared expert behind a sigmoid gate and does not renormalise", "qwen2moe");
testDecoder("qwen3moe norms q and k heads and renormalises the chosen experts' weights", "qwen3moe");
