/**
 * Settings of published mixtures and recurrent models that no golden file has, as changes to one; see `variants.ts`. Where sizes
 * change, the tensors they belong to are made anew, of random numbers that follow from their names.
 */
import type { Alteration } from "../support/altered_gguf.ts";
import { qkvBiases, type Variant } from "./variants.ts";

/** All variants, by their names in `variants.json`. */
export const MIXTURE_VARIANTS: Readonly<Record<string, Variant>> = {
  mamba2Groups: {
    title: "mamba2 shares B and C among the heads of a group and norms each group",
    golden: "mamba2",
    change: {
      set: [["mamba2.ssm.group_count", "u32", 2]],
      add: inLayers([0, 1], {
        "ssm_conv1d.weight": [4, 192],
        "ssm_conv1d.bias": [192],
        "ssm_in.weight": [64, 328],
        "ssm_norm.weight": [64, 2],
      }),
    },
  },
  mamba2Odd: {
    title: "mamba2 takes another window, state and number of heads",
    golden: "mamba2",
    change: {
      set: [
        ["mamba2.ssm.conv_kernel", "u32", 3],
        ["mamba2.ssm.state_size", "u32", 12],
        ["mamba2.ssm.time_step_rank", "u32", 4],
      ],
      add: inLayers([0, 1], {
        "ssm_conv1d.weight": [3, 152],
        "ssm_conv1d.bias": [152],
        "ssm_in.weight": [64, 284],
        "ssm_a": [1, 4],
        "ssm_d": [1, 4],
        "ssm_dt.bias": [4],
      }),
    },
  },
  falconMamba: {
    title: "mamba norms step sizes, B and C without weights, as Falcon-Mamba",
    golden: "mamba",
    change: { set: [["mamba.ssm.dt_b_c_rms", "bool", true]] },
  },
  nemotronGroups: {
    title: "nemotron_h chooses among the experts of the best groups, and groups its heads",
    golden: "nemotron_h",
    change: {
      set: [
        ["nemotron_h_moe.ssm.group_count", "u32", 2],
        ["nemotron_h_moe.expert_count", "u32", 8],
        ["nemotron_h_moe.expert_group_count", "u32", 4],
        ["nemotron_h_moe.expert_group_used_count", "u32", 2],
      ],
      add: [
        ...inLayers([0, 3], {
          "ssm_conv1d.weight": [4, 160],
          "ssm_conv1d.bias": [160],
          "ssm_in.weight": [48, 262],
          "ssm_norm.weight": [48, 2],
        }),
        ...inLayers([2], {
          "ffn_down_exps.weight": [32, 48, 8],
          "ffn_up_exps.weight": [48, 32, 8],
          "exp_probs_b.bias": [8],
          "ffn_gate_inp.weight": [48, 8],
        }),
      ],
    },
  },
  graniteHybridExperts: {
    title: "granitehybrid has experts with a shared one, as H Small",
    golden: "granitehybrid",
    change: {
      set: [
        ["granitehybrid.expert_count", "u32", 4],
        ["granitehybrid.expert_used_count", "u32", 2],
        ["granitehybrid.feed_forward_length", "u32", 24],
        ["granitehybrid.expert_shared_feed_forward_length", "u32", 40],
      ],
      drop: [0, 1, 2].flatMap((layer) =>
        ["gate", "up", "down"].map((part) => `blk.${layer}.ffn_${part}.weight`)
      ),
      add: inLayers([0, 1, 2], {
        "ffn_gate_inp.weight": [48, 4],
        "ffn_gate_exps.weight": [48, 24, 4],
        "ffn_up_exps.weight": [48, 24, 4],
        "ffn_down_exps.weight": [24, 48, 4],
        "ffn_gate_shexp.weight": [48, 40],
        "ffn_up_shexp.weight": [48, 40],
        "ffn_down_shexp.weight": [40, 48],
      }),
    },
  },
  graniteHybridPositions: {
    title: "granitehybrid rotates where the file does not say otherwise",
    golden: "granitehybrid",
    change: { unset: ["granitehybrid.rope.scaling.finetuned"] },
  },
  graniteMoeShared: {
    title: "granitemoe adds a shared expert where the file gives it a width",
    golden: "granitemoe",
    change: {
      set: [["granitemoe.expert_shared_feed_forward_length", "u32", 20]],
      add: inLayers([0, 1], {
        "ffn_gate_shexp.weight": [48, 20],
        "ffn_up_shexp.weight": [48, 20],
        "ffn_down_shexp.weight": [20, 48],
      }),
    },
  },
  falconH1Norm: {
    title: "falcon-h1 norms the gated output per group where the file has the weights",
    golden: "falcon_h1",
    change: {
      set: [["falcon-h1.ssm.group_count", "u32", 2]],
      add: inLayers([0, 1], {
        "ssm_conv1d.weight": [4, 128],
        "ssm_conv1d.bias": [128],
        "ssm_in.weight": [48, 196],
        "ssm_norm.weight": [32, 2],
      }),
    },
  },
  qwen3NextHeads: {
    title: "qwen3next shares each key head among three value heads",
    golden: "qwen3next",
    change: {
      set: [["qwen3next.ssm.time_step_rank", "u32", 6], ["qwen3next.ssm.inner_size", "u32", 96]],
      add: inLayers([0, 1, 2], { ...deltaNetWithSixHeads(), "ssm_ba.weight": [64, 12] }),
    },
  },
  qwen35Heads: {
    title: "qwen35moe shares each key head among three value heads, in turn",
    golden: "qwen35moe",
    change: {
      set: [["qwen35moe.ssm.time_step_rank", "u32", 6], ["qwen35moe.ssm.inner_size", "u32", 96]],
      add: inLayers([0, 1, 2], {
        ...deltaNetWithSixHeads(),
        "ssm_alpha.weight": [64, 6],
        "ssm_beta.weight": [64, 6],
      }),
    },
  },
  deepseekScaling: {
    title: "deepseek2 scales its scores by the file's YaRN multiplier, and takes a router without groups",
    golden: "deepseek2_v3",
    change: {
      set: [
        ["deepseek2.rope.scaling.factor", "f32", 16],
        ["deepseek2.rope.scaling.yarn_log_multiplier", "f32", 0.0707],
        ["deepseek2.expert_group_count", "u32", 1],
        ["deepseek2.expert_group_used_count", "u32", 1],
      ],
    },
  },
  deepseekNoMultiplier: {
    title: "deepseek2 without a multiplier on its scores keeps YaRN's factor on the rotation",
    golden: "deepseek2_v3",
    change: { unset: ["deepseek2.rope.scaling.yarn_log_multiplier"] },
  },
  deepseekSoftmax: {
    title: "deepseek2 routes by the function that the file names",
    golden: "deepseek2_v3",
    change: {
      set: [
        ["deepseek2.expert_gating_func", "u32", 1],
        ["deepseek2.expert_weights_norm", "bool", false],
        ["deepseek2.expert_group_count", "u32", 1],
        ["deepseek2.expert_group_used_count", "u32", 1],
      ],
    },
  },
  gptOssWindow: {
    title: "gpt-oss takes another window and number of experts per token",
    golden: "gpt_oss",
    change: {
      set: [["gpt-oss.attention.sliding_window", "u32", 9], ["gpt-oss.expert_used_count", "u32", 3]],
    },
  },
  llama4Dense: {
    title: "llama4 has experts in every nth layer only, of which a token may use several",
    golden: "llama4",
    change: {
      set: [["llama4.interleave_moe_layer_step", "u32", 4], ["llama4.expert_used_count", "u32", 2]],
      drop: [
        "ffn_gate_inp",
        ...["gate", "up", "down"].flatMap((part) => [`ffn_${part}_exps`, `ffn_${part}_shexp`]),
      ]
        .map((name) => `blk.1.${name}.weight`),
      add: inLayers([1], {
        "ffn_gate.weight": [48, 64],
        "ffn_up.weight": [48, 64],
        "ffn_down.weight": [64, 48],
      }),
    },
  },
  lfm2Window: {
    title: "lfm2 takes another number of taps",
    golden: "lfm2",
    change: {
      set: [["lfm2.shortconv.l_cache", "u32", 4]],
      add: inLayers([0, 2], { "shortconv.conv.weight": [4, 64] }),
    },
  },
  jambaOdd: {
    title: "jamba takes another state and rank of step sizes",
    golden: "jamba",
    change: {
      set: [["jamba.ssm.state_size", "u32", 4], ["jamba.ssm.time_step_rank", "u32", 6]],
      add: inLayers([0, 2], {
        "ssm_a": [4, 96],
        "ssm_b_norm.weight": [4],
        "ssm_c_norm.weight": [4],
        "ssm_dt_norm.weight": [6],
        "ssm_dt.weight": [6, 96],
        "ssm_x.weight": [96, 14],
      }),
    },
  },
  glm4MoeAir: {
    title: "glm4moe runs without q/k norms and without renormalised weights, as the Air model has no norms",
    golden: "glm4moe",
    change: {
      set: [["glm4moe.expert_weights_norm", "bool", false], ["glm4moe.expert_weights_scale", "f32", 1]],
      drop: [0, 1].flatMap((layer) => ["q", "k"].map((part) => `blk.${layer}.attn_${part}_norm.weight`)),
    },
  },
  glm4MoeNoBiases: {
    title: "glm4moe runs without biases",
    golden: "glm4moe",
    change: { drop: qkvBiases(2) },
  },
  qwen2MoeNoBiases: {
    title: "qwen2moe runs without biases",
    golden: "qwen2moe",
    change: { drop: qkvBiases(2) },
  },
  rwkv7Head: {
    title: "rwkv7 takes another width of heads",
    golden: "rwkv7",
    change: { set: [["rwkv7.wkv.head_size", "u32", 128]] },
  },
};

/** Tensors of a delta net whose six value heads are 16 wide, behind two key heads. */
function deltaNetWithSixHeads(): Record<string, number[]> {
  return {
    "attn_qkv.weight": [64, 160],
    "attn_gate.weight": [64, 96],
    "ssm_conv1d.weight": [4, 160],
    "ssm_a": [6],
    "ssm_dt.bias": [6],
    "ssm_out.weight": [96, 64],
  };
}

/** New tensors of some layers, by their names in a layer. */
function inLayers(
  layers: readonly number[],
  tensors: Record<string, number[]>,
): NonNullable<Alteration["add"]> {
  return layers.flatMap((layer) =>
    Object.entries(tensors).map(([name, dims]) => randomTensor(`blk.${layer}.${name}`, dims))
  );
}

/** Numbers of the size that a trained tensor of that name has. */
function randomTensor(name: string, dims: number[]) {
  const count = dims.reduce((product, extent) => product * extent, 1);
  const random = normalNumbers(name);
  const value = () => {
    if (name.endsWith("ssm_a")) return -Math.exp(0.5 * random());
    if (name.includes("norm")) return 1 + 0.2 * random();
    if (name.endsWith(".bias")) return 0.3 * random();
    if (name.includes("conv") || name.endsWith("ssm_d")) return 0.5 * random();
    return 1.2 * random() / Math.sqrt(dims[0]);
  };
  return { name, dims, values: Float32Array.from({ length: count }, value) };
}

/** Nearly normal numbers, the same for the same seed: sums of twelve steps of a linear congruential generator. */
function normalNumbers(seed: string): () => number {
  let state = [...seed].reduce((sum, c) => (Math.imul(sum, 31) + c.charCodeAt(0)) | 0, 7);
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
  return () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += uniform();
    return sum;
  };
}
