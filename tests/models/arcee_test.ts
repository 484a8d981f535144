import { testDecoder } from "../support/golden.ts";

testDecoder("arcee squares a ReLU instead of gating, and stretches its context by YaRN", "arcee");
