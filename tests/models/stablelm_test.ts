import { testDecoder } from "../support/golden.ts";

testDecoder("stablelm norms by layer and rotates part of each head", "stablelm");
