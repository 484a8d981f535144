import { testDecoder } from "../support/golden.ts";

testDecoder("ernie4_5 is LLaMA under another name", "ernie4_5");
