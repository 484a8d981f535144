/** ERNIE 4.5 (https://ernie.baidu.com/blog/publication/ERNIE_Technical_Report.pdf), dense members: LLaMA under another name. */
import { decoderFamily } from "./parts/family.ts";

/** LLaMA-like, rotary on adjacent pairs. */
export const ernie4_5 = decoderFamily({
  name: "ERNIE 4.5",
  architectures: ["ernie4_5"],
  summary: "as LLaMA",
  spec: {
    positions: { kind: "rope", pairing: "adjacent" },
    feedForward: { kind: "gated", activation: "silu" },
  },
});
