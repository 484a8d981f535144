import { testDecoder } from "../support/golden.ts";

testDecoder("olmoe norms whole q and k rows and takes the router's softmax as it is", "olmoe");
