/**
 * Llama 4 (https://ai.meta.com/blog/llama-4-multimodal-intelligence/): three layers of chunked attention with rotary positions and
 * normed queries and keys, then one that sees everything, without positions, whose scores grow with the position instead. Experts
 * are routed by sigmoid, which multiplies an expert's input; a shared expert sees every token.
 */
import type { ModelBuilder } from "./model_builder.ts";
import { expertCounts, expertWidth, mixture } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";
import { feedForward } from "./parts/feed_forward.ts";

/** Every such layer is without positions, and global. */
const GLOBAL_PERIOD = 4;
/** Positions per chunk of the other layers, and per step of the global layers' scores. */
const CHUNK = 8192;
/** How much the scores of the global layers grow per step. */
const TEMPERATURE = 0.1;
/** Number of experts of the one model that has no q/k norms (Maverick). */
const EXPERTS_WITHOUT_QK_NORM = 128;

function isGlobal(layer: number): boolean {
  return (layer + 1) % GLOBAL_PERIOD === 0;
}

/** Experts in every nth layer. */
function hasExperts(m: ModelBuilder, layer: number): boolean {
  const step = m.config.keys.integer("interleave_moe_layer_step", { min: 0, max: 1 << 20 });
  return step > 0 && (layer + 1) % step === 0;
}

/** Chunked attention, global layers without positions, sigmoid-routed experts. */
export const llama4 = decoderFamily({
  name: "Llama 4",
  architectures: ["llama4"],
  summary: "chunked attention, global layers without positions, input-weighted experts with a shared one",
  spec: {
    positions: { kind: "rope", pairing: "adjacent", layers: { allButEvery: GLOBAL_PERIOD } },
    attentionExtras: (m, layer) => {
      if (isGlobal(layer)) return { temperature: { scale: TEMPERATURE, interval: CHUNK, offset: 1 } };
      const normed = expertCounts(m).experts !== EXPERTS_WITHOUT_QK_NORM;
      return {
        chunk: CHUNK,
        qkNorm: normed ? { kind: "rms", over: "head", after: "rope", weightless: true } : undefined,
      };
    },
    feedForward: {
      trait: "SwiGLU; experts by sigmoid in every nth layer, shared expert",
      build: (m, layer, x, finish) => {
        if (!hasExperts(m, layer)) {
          return feedForward(m, layer, x, { kind: "gated", activation: "silu" }, finish);
        }
        return mixture(m, layer, x, {
          activation: "silu",
          weightInput: true,
          router: { scoring: "sigmoid" },
          shared: { activation: "silu", inner: expertWidth(m, layer) },
        }, finish);
      },
    },
  },
  traits: { attention: "causal, chunked, every 4th layer global; q/k norm without weights" },
});
