/** Qwen3.5 with experts: gated delta nets, every fourth layer attention with an output gate; routed experts and a gated shared one. */
import { assert } from "../../../src/common/assert.ts";
import type { DeltaNetShape, ExpertShape, Shape } from "../shapes.ts";
import {
  exact,
  matrix,
  type ModelSpec,
  normWeight,
  plainMatrix,
  residualGain,
  type TensorSpec,
} from "../tensor_spec.ts";
import {
  attentionTensors,
  decoderMetadata,
  decoderTensors,
  expertTensors,
  gatedTensors,
  queryKeyNorms,
} from "./shared.ts";

/** Describes a Qwen3.5 model with experts. */
export function qwen35Moe(shape: Shape): ModelSpec {
  const { layers, rotaryDim, deltaNet, experts } = shape;
  assert(deltaNet && experts, "Qwen3.5 MoE has delta nets and experts");
  const { keyHeads, valueHeads, headDim, convolution, interval } = deltaNet;
  const isRecurrent = (layer: number) => (layer + 1) % interval !== 0;
  const key = (name: string) => `qwen35moe.${name}`;
  return {
    metadata: [
      ...decoderMetadata(shape),
      [key("expert_shared_feed_forward_length"), "u32", experts.sharedWidth],
      [key("rope.dimension_count"), "u32", rotaryDim],
      [key("rope.dimension_sections"), "i32[]", positionSections(rotaryDim / 2)],
      [key("ssm.conv_kernel"), "u32", convolution],
      [key("ssm.state_size"), "u32", headDim],
      [key("ssm.group_count"), "u32", keyHeads],
      [key("ssm.time_step_rank"), "u32", valueHeads],
      [key("ssm.inner_size"), "u32", valueHeads * headDim],
      [key("full_attention_interval"), "u32", interval],
      [key("attention.recurrent_layers"), "bool[]", Array.from({ length: layers }, (_, i) => isRecurrent(i))],
    ],
    tensors: decoderTensors(shape, (layer) => [
      normWeight(`blk.${layer}.attn_norm.weight`, shape.hidden),
      ...(isRecurrent(layer) ? deltaNetTensors(shape, deltaNet, layer) : gatedAttentionTensors(shape, layer)),
      normWeight(`blk.${layer}.post_attention_norm.weight`, shape.hidden),
      ...mixtureTensors(shape, experts, layer),
    ]),
  };
}

/** Rotated pairs by time, height and width of an image; a third each, rounded as Qwen does (11, 11, 10 of 32). */
function positionSections(pairs: number): number[] {
  const third = Math.ceil(pairs / 3);
  return [third, third, pairs - 2 * third, 0];
}

/** The output gate of each head rides along with its query. */
function gatedAttentionTensors(shape: Shape, layer: number): TensorSpec[] {
  return [
    ...attentionTensors(shape, layer, { queryWidth: 2 * shape.heads * shape.headDim }),
    ...queryKeyNorms(shape, layer),
  ];
}

function deltaNetTensors({ hidden, layers }: Shape, net: DeltaNetShape, layer: number): TensorSpec[] {
  const { keyHeads, valueHeads, headDim, convolution } = net;
  const channels = (2 * keyHeads + valueHeads) * headDim;
  const inner = valueHeads * headDim;
  const name = (part: string) => `blk.${layer}.${part}`;
  return [
    matrix(name("attn_qkv.weight"), hidden, channels),
    matrix(name("attn_gate.weight"), hidden, inner),
    plainMatrix(name("ssm_conv1d.weight"), convolution, channels),
    matrix(name("ssm_alpha.weight"), hidden, valueHeads),
    matrix(name("ssm_beta.weight"), hidden, valueHeads),
    // The state decays by exp(a * softplus(alpha + dt)) per token. Training starts with -a from 1 to 16 and steps from 0.001 to 0.1.
    exact(name("ssm_a"), [valueHeads], (_, random) => -random.between(1, 16)),
    exact(name("ssm_dt.bias"), [valueHeads], (_, random) => inverseSoftplus(10 ** random.between(-3, -1))),
    normWeight(name("ssm_norm.weight"), headDim),
    matrix(name("ssm_out.weight"), inner, hidden, { gain: residualGain(layers) }),
  ];
}

function mixtureTensors(
  shape: Shape,
  { count, width, sharedWidth }: ExpertShape,
  layer: number,
): TensorSpec[] {
  return [
    plainMatrix(`blk.${layer}.ffn_gate_inp.weight`, shape.hidden, count),
    ...expertTensors(shape, layer, count, width),
    plainMatrix(`blk.${layer}.ffn_gate_inp_shexp.weight`, shape.hidden, 1),
    ...gatedTensors(shape, layer, sharedWidth, "_shexp"),
  ];
}

function inverseSoftplus(value: number): number {
  return Math.log(Math.expm1(value));
}
