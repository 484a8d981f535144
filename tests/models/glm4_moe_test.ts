import { testDecoder } from "../support/golden.ts";

testDecoder("glm4moe routes by sigmoid with a selection bias behind a leading dense layer", "glm4moe");
