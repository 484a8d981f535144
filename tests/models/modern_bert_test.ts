import { testEncoder } from "../support/golden.ts";

testEncoder(
  "modern-bert has windows to both sides, two rotary bases and no norm in front of its first attention",
  "modern_bert",
);
