import { testDecoder } from "../support/golden.ts";

testDecoder("olmo2 norms what each half adds, and queries and keys over the whole projection", "olmo2");
