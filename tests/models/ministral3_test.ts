import { testDecoder } from "../support/golden.ts";

testDecoder("ministral3 raises its scores with the position of the query", "ministral3");
