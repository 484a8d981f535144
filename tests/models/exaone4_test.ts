import { testDecoder } from "../support/golden.ts";

testDecoder("exaone4 norms only what each half adds", "exaone4");
