/**
 * Mamba (https://arxiv.org/abs/2312.00752) and Falcon-Mamba (https://arxiv.org/abs/2410.05355), which normalises step sizes, B and C;
 * Mamba-2 (https://arxiv.org/abs/2405.21060). Neither has attention, positions or feed-forward blocks.
 */
import { mixerFamily } from "./parts/mixer_stack.ts";
import { mamba as mambaBlock, mamba2 as mamba2Block } from "./parts/state_space.ts";

/** Selective state spaces. */
export const mamba = mixerFamily({
  name: "Mamba, Falcon-Mamba",
  architectures: ["mamba"],
  summary: "selective state spaces: a decay per channel and state element",
  traits: { attention: "none", feedForward: "none", state: "recurrent", biases: "convolution, step sizes" },
  mixer: (m, layer, x, finish) =>
    mambaBlock(m, layer, x, m.config.keys.boolean("ssm.dt_b_c_rms", false), finish),
});

/** State spaces with heads. */
export const mamba2 = mixerFamily({
  name: "Mamba-2",
  architectures: ["mamba2"],
  summary: "state spaces with heads: one decay per head, gated norm",
  traits: { attention: "none", feedForward: "none", state: "recurrent", biases: "convolution, step sizes" },
  mixer: mamba2Block,
});
