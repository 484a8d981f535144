/** A model in a few words, as llama-bench names it: `qwen3 8B Q4_K - Medium`. */
import type { Metadata } from "../../gguf/mod.ts";

/** `general.file_type` (`enum llama_ftype` of llama.h) by llama.cpp's names. */
const FILE_TYPES: Readonly<Record<number, string>> = {
  0: "all F32",
  1: "F16",
  2: "Q4_0",
  3: "Q4_1",
  7: "Q8_0",
  8: "Q5_0",
  9: "Q5_1",
  10: "Q2_K - Medium",
  11: "Q3_K - Small",
  12: "Q3_K - Medium",
  13: "Q3_K - Large",
  14: "Q4_K - Small",
  15: "Q4_K - Medium",
  16: "Q5_K - Small",
  17: "Q5_K - Medium",
  18: "Q6_K",
  19: "IQ2_XXS - 2.0625 bpw",
  20: "IQ2_XS - 2.3125 bpw",
  21: "Q2_K - Small",
  22: "IQ3_XS - 3.3 bpw",
  23: "IQ3_XXS - 3.0625 bpw",
  24: "IQ1_S - 1.5625 bpw",
  25: "IQ4_NL - 4.5 bpw",
  26: "IQ3_S - 3.4375 bpw",
  27: "IQ3_S mix - 3.66 bpw",
  28: "IQ2_S - 2.5 bpw",
  29: "IQ2_M - 2.7 bpw",
  30: "IQ4_XS - 4.25 bpw",
  31: "IQ1_M - 1.75 bpw",
  32: "BF16",
  36: "TQ1_0 - 1.69 bpw ternary",
  37: "TQ2_0 - 2.06 bpw ternary",
  38: "MXFP4 MoE",
};

/** Architecture, size and file type of a model with `parameters` weights. */
export function modelType(metadata: Metadata, parameters: number): string {
  const architecture = metadata.string("general.architecture");
  const fileType = FILE_TYPES[metadata.number("general.file_type", -1)] ?? "unknown type";
  return `${architecture} ${parameterLabel(parameters)} ${fileType}`;
}

/** `135M`, `8B`, `115K`. */
export function parameterLabel(parameters: number): string {
  if (parameters >= 0.95e9) return `${Math.round(parameters / 1e9)}B`;
  return parameters >= 0.95e6 ? `${Math.round(parameters / 1e6)}M` : `${Math.round(parameters / 1e3)}K`;
}
