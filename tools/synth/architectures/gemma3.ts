/** Gemma 3: norms before and after each half, five windowed layers to one global, rotary positions of the latter stretched by 8. */
import type { Shape } from "../shapes.ts";
import { type ModelSpec, normWeight, residualGain } from "../tensor_spec.ts";
import { attentionTensors, decoderMetadata, decoderTensors, gatedTensors, queryKeyNorms } from "./shared.ts";

/** Describes a Gemma 3 model. Norm weights have their 1 added, as in every file. */
export function gemma3(shape: Shape): ModelSpec {
  const { hidden, feedForward, layers } = shape;
  return {
    metadata: [
      ...decoderMetadata(shape),
      ["gemma3.rope.freq_base_swa", "f32", 10_000],
      ["gemma3.rope.scaling.type", "string", "linear"],
      ["gemma3.rope.scaling.factor", "f32", 8],
    ],
    tensors: decoderTensors(shape, (layer) => [
      normWeight(`blk.${layer}.attn_norm.weight`, hidden),
      ...attentionTensors(shape, layer),
      ...queryKeyNorms(shape, layer),
      normWeight(`blk.${layer}.post_attention_norm.weight`, hidden, residualGain(layers)),
      normWeight(`blk.${layer}.ffn_norm.weight`, hidden),
      ...gatedTensors(shape, layer, feedForward),
      normWeight(`blk.${layer}.post_ffw_norm.weight`, hidden, residualGain(layers)),
    ]),
  };
}
