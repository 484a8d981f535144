/** A transformer's knobs in words: its row in the table of families. */
import type { Traits } from "../family.ts";
import type { TransformerSpec } from "./transformer.ts";

/** Words of the activations where they are not their own names; gated ones have names of their own. */
const PLAIN: Record<string, string> = {
  gelu: "GELU",
  gelu_erf: "GELU (erf)",
  relu: "ReLU",
  relu_squared: "ReLU²",
};
const GATED: Record<string, string> = { silu: "SwiGLU", gelu: "GeGLU", gelu_erf: "GeGLU (erf)" };

/** The row of a spec. */
export function transformerTraits(spec: TransformerSpec): Traits {
  return {
    norm: `${spec.norm === "layer" ? "layer" : "RMS"}, ${spec.normPlace ?? "before"}`,
    positions: positions(spec),
    attention: attention(spec),
    feedForward: feedForward(spec),
    block: spec.block ?? "sequential",
    biases: spec.biases ? spec.biases.join(", ") : "none",
    output: output(spec),
    state: spec.bidirectional ? "none" : "KV cache",
  };
}

function positions({ positions }: TransformerSpec): string {
  if (positions.kind === "alibi") return "ALiBi";
  if (positions.kind !== "rope") return positions.kind;
  const { pairing, layers, windowed } = positions;
  const parts = [`RoPE, ${pairing}`];
  if (layers === "windowed") parts.push("windowed layers only");
  if (typeof layers === "object") parts.push(`none in every ${ordinal(layers.allButEvery)} layer`);
  if (windowed) parts.push("own base for windowed layers");
  return parts.join(", ");
}

function attention(spec: TransformerSpec): string {
  if (spec.attention) return spec.attention.trait;
  const parts = [spec.bidirectional ? "bidirectional" : "causal"];
  if (spec.windows) parts.push(windows(spec.windows.period, spec.windows.globalFirst));
  if (spec.qkNorm) {
    parts.push(`q/k norm per ${spec.qkNorm.over.replace("-", " ")}${spec.qkNorm.after ? " after RoPE" : ""}`);
  }
  if (spec.scoreSoftcap) parts.push("soft-capped scores");
  return parts.join(", ");
}

function windows(period: number, globalFirst = false): string {
  if (period === 0) return "window in some";
  return `window, every ${ordinal(period)} layer ${globalFirst ? "(from the first) " : ""}global`;
}

function feedForward({ feedForward }: TransformerSpec): string {
  if ("build" in feedForward) return feedForward.trait;
  if (feedForward.kind === "gated") return GATED[feedForward.activation] ?? `gated ${feedForward.activation}`;
  const { activation } = feedForward;
  return typeof activation === "string" ? PLAIN[activation] ?? activation : activation.trait;
}

function output(spec: TransformerSpec): string {
  if (spec.bidirectional) return "hidden states";
  const parts = [spec.ownOutput ? "own" : "own or tied"];
  if (spec.logitScale) parts.push("scaled");
  if (spec.logitSoftcap) parts.push("soft-capped");
  return parts.join(", ");
}

function ordinal(n: number): string {
  return { 2: "2nd", 3: "3rd" }[n] ?? `${n}th`;
}
