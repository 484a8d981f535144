/** gpt-oss: attention sinks, biases everywhere, experts in every layer, YaRN positions. */
import { assert } from "../../../src/common/assert.ts";
import type { Shape } from "../shapes.ts";
import { bias, type ModelSpec, normWeight, plainMatrix } from "../tensor_spec.ts";
import { attentionTensors, decoderMetadata, decoderTensors, expertTensors } from "./shared.ts";

/** Factor by which YaRN stretches the positions of training. */
const YARN_FACTOR = 32;

/** Describes a gpt-oss model. */
export function gptOss(shape: Shape): ModelSpec {
  const { hidden, heads, kvHeads, headDim, experts } = shape;
  assert(experts, "gpt-oss has experts");
  const { count, width } = experts;
  return {
    metadata: [
      ...decoderMetadata(shape),
      ["gpt-oss.rope.scaling.type", "string", "yarn"],
      ["gpt-oss.rope.scaling.factor", "f32", YARN_FACTOR],
      ["gpt-oss.rope.scaling.original_context_length", "u32", shape.contextLength / YARN_FACTOR],
      ["gpt-oss.rope.scaling.yarn_beta_fast", "f32", 32],
      ["gpt-oss.rope.scaling.yarn_beta_slow", "f32", 1],
      ["gpt-oss.rope.scaling.yarn_truncate", "bool", false],
    ],
    tensors: decoderTensors(shape, (layer) => [
      normWeight(`blk.${layer}.attn_norm.weight`, hidden),
      ...attentionTensors(shape, layer),
      bias(`blk.${layer}.attn_q.bias`, [heads * headDim]),
      bias(`blk.${layer}.attn_k.bias`, [kvHeads * headDim]),
      bias(`blk.${layer}.attn_v.bias`, [kvHeads * headDim]),
      bias(`blk.${layer}.attn_output.bias`, [hidden], 0.01),
      bias(`blk.${layer}.attn_sinks.weight`, [heads], 1),
      normWeight(`blk.${layer}.post_attention_norm.weight`, hidden),
      plainMatrix(`blk.${layer}.ffn_gate_inp.weight`, hidden, count),
      bias(`blk.${layer}.ffn_gate_inp.bias`, [count]),
      ...expertTensors(shape, layer, count, width),
      bias(`blk.${layer}.ffn_gate_exps.bias`, [width, count]),
      bias(`blk.${layer}.ffn_up_exps.bias`, [width, count]),
      bias(`blk.${layer}.ffn_down_exps.bias`, [hidden, count], 0.01),
    ]),
  };
}
