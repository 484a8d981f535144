import { testDecoder } from "../support/golden.ts";

testDecoder("apertus applies xIELU without a gate and norms queries and keys", "apertus");
