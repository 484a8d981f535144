import { testDecoder } from "../support/golden.ts";

testDecoder("gpt-oss has attention sinks, alternating windows and clamped, biased experts", "gpt_oss");
testDecoder("gpt-oss reads MXFP4 experts", "gpt_oss_mxfp4");
