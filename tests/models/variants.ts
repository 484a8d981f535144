/**
 * Settings of published models that no golden file has, as changes to one: what a family does for its other members.
 *
 * `variants.json` holds what the models must say behind the first 80 tokens of the golden case's third prompt: the eight best tokens and how far
 * their logits are below the best one, computed from the changed file by an independent program (`source`).
 */
import type { Alteration } from "../support/altered_gguf.ts";

/** One changed golden file. */
export interface Variant {
  /** What the family does, as the test's name. */
  readonly title: string;
  /** The golden case that is changed. */
  readonly golden: string;
  readonly change: Alteration;
}

/** All variants, by their names in `variants.json`. */
export const VARIANTS: Readonly<Record<string, Variant>> = {
  llamaLinear: {
    title: "llama divides positions by the factor of linear scaling",
    golden: "llama2",
    change: {
      set: [["llama.rope.scaling.type", "string", "linear"], ["llama.rope.scaling.factor", "f32", 4]],
    },
  },
  llamaYarn: {
    title: "llama interpolates low frequencies and scales rotations as YaRN does",
    golden: "llama2",
    change: {
      set: [
        ["llama.rope.scaling.type", "string", "yarn"],
        ["llama.rope.scaling.factor", "f32", 4],
        ["llama.rope.scaling.original_context_length", "u32", 32],
      ],
    },
  },
  llamaYarnFactor: {
    title: "llama takes YaRN's factor on queries and keys from the file",
    golden: "llama2",
    change: {
      set: [
        ["llama.rope.scaling.type", "string", "yarn"],
        ["llama.rope.scaling.factor", "f32", 4],
        ["llama.rope.scaling.original_context_length", "u32", 32],
        ["llama.rope.scaling.yarn_attn_factor", "f32", 0.8],
      ],
    },
  },
  llamaBiases: {
    title: "llama uses biases of attention where the file has them",
    golden: "llama2",
    change: {
      add: layers(3).flatMap((layer) =>
        ["q", "k", "v", "output"].map((part, i) =>
          waves(`blk.${layer}.attn_${part}.bias`, [64], 0, 4 * layer + i)
        )
      ),
    },
  },
  ministralTemperature: {
    title: "ministral3 raises its temperature every time the original context is passed",
    golden: "ministral3",
    change: {
      set: [
        ["mistral3.attention.temperature_scale", "f32", 0.7],
        ["mistral3.rope.scaling.original_context_length", "u32", 7],
      ],
    },
  },
  gemma3Linear: {
    title: "gemma3 scales positions in global layers only, in the pattern that the file gives",
    golden: "gemma3",
    change: {
      set: [
        ["gemma3.attention.sliding_window", "u32", 5],
        ["gemma3.attention.sliding_window_pattern", "u32", 3],
        ["gemma3.rope.scaling.type", "string", "linear"],
        ["gemma3.rope.scaling.factor", "f32", 8],
      ],
    },
  },
  olmo3: {
    title: "olmo2 with windows leaves their positions unscaled, as OLMo 3 does",
    golden: "olmo2",
    change: {
      set: [
        ["olmo2.attention.sliding_window", "u32", 5],
        ["olmo2.attention.sliding_window_pattern", "bool[]", [true, false]],
        ["olmo2.rope.scaling.type", "string", "yarn"],
        ["olmo2.rope.scaling.factor", "f32", 8],
        ["olmo2.rope.scaling.original_context_length", "u32", 32],
      ],
    },
  },
  exaone4Windows: {
    title: "exaone4 with windows has no positions in its global layers, as the 32B",
    golden: "exaone4",
    change: {
      set: [
        ["exaone4.attention.sliding_window", "u32", 7],
        ["exaone4.attention.sliding_window_pattern", "bool[]", [true, false]],
      ],
    },
  },
  phi3Window: {
    title: "phi3 sees the last positions only where the file has a window",
    golden: "phi3_short",
    change: { set: [["phi3.attention.sliding_window", "u32", 7]] },
  },
  phi3Partial: {
    title: "phi3 rotates part of each head, as Phi-4 mini",
    golden: "phi3_short",
    change: {
      set: [["phi3.rope.dimension_count", "u32", 12]],
      add: [
        waves("rope_factors_long.weight", [6], 3, 1),
        waves("rope_factors_short.weight", [6], 2, 2),
      ],
    },
  },
  starcoder2Window: {
    title: "starcoder2 sees the last positions only where the file has a window",
    golden: "starcoder2",
    change: { set: [["starcoder2.attention.sliding_window", "u32", 7]] },
  },
  mptClip: {
    title: "mpt clips queries, keys and values, as StoryWriter",
    golden: "mpt",
    change: { set: [["mpt.attention.clamp_kqv", "f32", 0.7]] },
  },
  stablelmParallel: {
    title: "stablelm runs both halves in parallel and norms each head with its own weight, as the 12B",
    golden: "stablelm",
    change: {
      set: [["stablelm.use_parallel_residual", "bool", true]],
      drop: layers(2).flatMap((layer) => [`blk.${layer}.ffn_norm.weight`, `blk.${layer}.ffn_norm.bias`]),
      add: layers(2).flatMap((layer) => [
        waves(`blk.${layer}.attn_q_norm.weight`, [16, 4], 1, layer),
        waves(`blk.${layer}.attn_k_norm.weight`, [16, 4], 1, layer + 7),
      ]),
    },
  },
  stablelmNoBiases: {
    title: "stablelm runs without biases on queries, keys and values, as the 3B",
    golden: "stablelm",
    change: {
      drop: qkvBiases(2),
    },
  },
  commandRPlus: {
    title: "command-r norms each head of queries and keys with its own weight, as R+",
    golden: "command_r",
    change: {
      add: layers(2).flatMap((layer) => [
        waves(`blk.${layer}.attn_q_norm.weight`, [16, 4], 1, layer),
        waves(`blk.${layer}.attn_k_norm.weight`, [16, 2], 1, layer + 7),
      ]),
    },
  },
  glm4NoBiases: {
    title: "glm4 runs without biases, as the 32B",
    golden: "glm4",
    change: {
      drop: qkvBiases(2),
    },
  },
  seedNoBiases: {
    title: "seed_oss runs without biases",
    golden: "seed_oss",
    change: { drop: qkvBiases(2) },
  },
  orion: {
    title: "orion is LLaMA with layer norms and positions on halves",
    golden: "stablelm",
    change: {
      set: [
        ["general.architecture", "string", "orion"],
        ["orion.block_count", "u32", 2],
        ["orion.context_length", "u32", 512],
        ["orion.embedding_length", "u32", 64],
        ["orion.feed_forward_length", "u32", 112],
        ["orion.attention.head_count", "u32", 4],
        ["orion.attention.head_count_kv", "u32", 4],
        ["orion.attention.layer_norm_epsilon", "f32", 1e-5],
      ],
      drop: qkvBiases(2),
    },
  },
  apertusFactors: {
    title: "apertus divides rotary frequencies by rope_freqs",
    golden: "apertus",
    change: { add: [waves("rope_freqs.weight", [6], 3, 5)] },
  },
};

function layers(count: number): number[] {
  return Array.from({ length: count }, (_, layer) => layer);
}

/** Names of the biases on queries, keys and values in the first layers. */
export function qkvBiases(count: number): string[] {
  return layers(count).flatMap((layer) => ["q", "k", "v"].map((part) => `blk.${layer}.attn_${part}.bias`));
}

/** A tensor of `middle` plus waves of height 0.5; `phase` makes it differ from others. */
function waves(name: string, dims: number[], middle: number, phase: number) {
  const count = dims.reduce((product, extent) => product * extent, 1);
  const values = Float32Array.from({ length: count }, (_, i) => middle + 0.5 * Math.sin(1.7 * i + phase));
  return { name, dims, values };
}
