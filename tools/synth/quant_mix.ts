/**
 * Which tensor is stored in which format: the rules of `llama-quantize` (llama.cpp, src/llama-quant.cpp) for the file
 * types that synthetic models are written in, and the mix of Qwen3.5's published files.
 */
import { type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { assert } from "../../src/common/assert.ts";

/** File types. All but the last are `llama-quantize`'s. */
export const MIXES = [
  "f32",
  "f16",
  "bf16",
  "q4_0",
  "q4_1",
  "q5_0",
  "q5_1",
  "q8_0",
  "q4_k_m",
  "q5_k_m",
  "q6_k",
  "mxfp4_moe",
  "experts_q4_k_q5_k",
] as const;

/** Name of a file type. */
export type MixName = (typeof MIXES)[number];

/** `general.file_type`: `enum llama_ftype` of llama.h. */
export const FILE_TYPE: Readonly<Record<MixName, number>> = {
  f32: 0,
  f16: 1,
  bf16: 32,
  q4_0: 2,
  q4_1: 3,
  q5_0: 8,
  q5_1: 9,
  q8_0: 7,
  q4_k_m: 15,
  q5_k_m: 17,
  q6_k: 18,
  mxfp4_moe: 38,
  experts_q4_k_q5_k: 15,
};

/** What the rules look at besides the tensor. */
export interface MixContext {
  readonly mix: MixName;
  readonly layers: number;
  /** Whether there is an output matrix apart from the token table. */
  readonly hasOutput: boolean;
  /** One format for every matrix, as with `llama-quantize --pure`. */
  readonly pure?: boolean;
}

/** A matrix to quantize. */
export interface MixTensor {
  readonly name: string;
  readonly columns: number;
  /** Number of the layer; for `attn_v` that among the layers that have one. */
  readonly layer: number;
}

/** The format of a weight matrix. Vectors, routers and convolutions stay float32 and are not asked about. */
export function formatOf(tensor: MixTensor, context: MixContext): FormatName {
  const wanted = context.pure ? baseFormat(context.mix) : mixedFormat(tensor, context);
  return fittingFormat(wanted, tensor.columns);
}

function mixedFormat({ name, layer }: MixTensor, { mix, layers, hasOutput }: MixContext): FormatName {
  const base = baseFormat(mix);
  const isOutput = name === "output.weight" || (name === "token_embd.weight" && !hasOutput);
  const experts = name.includes("_exps.");
  switch (mix) {
    case "f32":
    case "f16":
    case "bf16":
    case "q8_0":
      return base;
    case "mxfp4_moe":
      return experts ? "mxfp4" : "q8_0";
    case "experts_q4_k_q5_k":
      if (isOutput) return "q6_k";
      if (experts) return name.includes("ffn_down") ? "q5_k" : "q4_k";
      return name === "token_embd.weight" ? "q4_k" : "q8_0";
    case "q4_k_m":
    case "q5_k_m":
      if (isOutput) return "q6_k";
      if (/attn_v\.|ffn_down/.test(name) && needsMoreBits(layer, layers)) return "q6_k";
      if (name.includes("attn_qkv.")) return mix === "q4_k_m" ? "q5_k" : "q6_k";
      return base;
    default:
      return isOutput ? "q6_k" : base;
  }
}

/** The first and last eighth of the layers, and every third of those between. */
function needsMoreBits(layer: number, layers: number): boolean {
  const eighth = Math.floor(layers / 8);
  return layer < eighth || layer >= Math.floor(7 * layers / 8) || (layer - eighth) % 3 === 2;
}

function baseFormat(mix: MixName): FormatName {
  switch (mix) {
    case "q4_k_m":
    case "experts_q4_k_q5_k":
      return "q4_k";
    case "q5_k_m":
      return "q5_k";
    case "mxfp4_moe":
      return "mxfp4";
    default:
      return mix;
  }
}

/** What takes the place of a format whose blocks are longer than fit into a row a whole number of times. */
const SHORTER_BLOCKS: { readonly [F in FormatName]?: FormatName } = {
  q4_k: "q5_0",
  q5_k: "q5_1",
  q6_k: "q8_0",
};

function fittingFormat(wanted: FormatName, columns: number): FormatName {
  if (columns % FORMATS[wanted].blockLength === 0) return wanted;
  const shorter = SHORTER_BLOCKS[wanted] ?? "f16";
  assert(
    columns % FORMATS[shorter].blockLength === 0,
    `rows of ${columns} fit neither ${wanted} nor ${shorter}`,
  );
  return shorter;
}
