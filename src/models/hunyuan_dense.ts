/** Hunyuan dense models (https://github.com/Tencent-Hunyuan): LLaMA with norms on the heads of queries and keys after their rotation. */
import { decoderFamily } from "./parts/family.ts";

/** q/k norm behind the rotation. */
export const hunyuanDense = decoderFamily({
  name: "Hunyuan dense",
  architectures: ["hunyuan-dense"],
  summary: "q/k norm after the rotation",
  spec: {
    positions: { kind: "rope", pairing: "halves" },
    qkNorm: { kind: "rms", over: "head", after: "rope" },
    feedForward: { kind: "gated", activation: "silu" },
  },
});
