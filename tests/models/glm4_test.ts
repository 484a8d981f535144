import { testDecoder } from "../support/golden.ts";

testDecoder("glm4 norms around each half, rotates half of each head and fuses gate and up", "glm4");
