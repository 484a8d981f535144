import { testDecoder } from "../support/golden.ts";

testDecoder("deepseek2 caches one latent and one rotated key for all heads", "deepseek2_lite");
testDecoder("deepseek2 compresses queries too and adds shared experts", "deepseek2_v2");
testDecoder("deepseek2 chooses experts from the best groups and scales YaRN's scores", "deepseek2_v3");
