/**
 * The feed-forward part of Mixtral (https://arxiv.org/abs/2401.04088), whose files say `llama`: a few of several SwiGLU experts per
 * token, weighted by a softmax over the chosen ones' logits.
 */
import { mixture } from "./parts/experts.ts";
import type { CustomBlock } from "./parts/transformer.ts";

/** Stands in for the feed-forward block of LLaMA where the file has experts. */
export const mixtralFeedForward: CustomBlock = {
  trait: "SwiGLU; Mixtral: experts, softmax over the chosen",
  build: (m, layer, x, finish) =>
    mixture(m, layer, x, { activation: "silu", router: { scoring: "softmax_chosen" } }, finish),
};
