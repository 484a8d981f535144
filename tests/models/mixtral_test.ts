import { testDecoder } from "../support/golden.ts";

testDecoder("mixtral weights its experts by a softmax over the chosen logits", "mixtral");
