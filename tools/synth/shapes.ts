/**
 * The shapes of real models: what their GGUF files say in metadata. Adding one of a known architecture is an entry here.
 *
 * The numbers are those of the published configurations, under the names of GGUF metadata.
 */
import type { MixName } from "./quant_mix.ts";

/** Architectures that can be written; each has a file in `architectures/`. */
export type ArchitectureName = "llama" | "qwen3" | "qwen35moe" | "gpt-oss" | "gemma3";

/** Routed experts. */
export interface ExpertShape {
  readonly count: number;
  readonly used: number;
  readonly width: number;
  /** Width of the expert that every token passes; 0: none. */
  readonly sharedWidth: number;
}

/** Gated delta net layers. */
export interface DeltaNetShape {
  readonly keyHeads: number;
  readonly valueHeads: number;
  readonly headDim: number;
  readonly convolution: number;
  /** Every `interval`-th layer is an attention layer. */
  readonly interval: number;
}

/** What kind of vocabulary: byte-level BPE (`gpt2`) or SentencePiece (`llama`), and how text is cut up before it. */
export interface TokenizerShape {
  readonly model: "gpt2" | "llama";
  readonly pre: string;
  /** Whether text gets a leading space; SentencePiece only, true where a file does not say otherwise. */
  readonly spacePrefix?: boolean;
}

/** Everything that a synthetic model has in common with the real one. */
export interface Shape {
  /** What the command line takes. */
  readonly name: string;
  readonly title: string;
  readonly architecture: ArchitectureName;
  readonly layers: number;
  readonly hidden: number;
  /** Width of the feed-forward block; unused where all layers have experts. */
  readonly feedForward: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** Elements of a head that are rotated. */
  readonly rotaryDim: number;
  readonly vocabulary: number;
  readonly contextLength: number;
  readonly ropeBase: number;
  readonly epsilon: number;
  /** Whether the token table serves as the output matrix too. */
  readonly tied: boolean;
  /** How the real file is quantized. */
  readonly mix: MixName;
  readonly tokenizer: TokenizerShape;
  /** Positions that windowed layers see. */
  readonly window?: number;
  /** Llama 3's stretch of the slow rotary frequencies. */
  readonly ropeFactor?: number;
  readonly experts?: ExpertShape;
  readonly deltaNet?: DeltaNetShape;
}

/** The table. */
export const SHAPES: readonly Shape[] = [
  {
    name: "smollm2-135m",
    title: "SmolLM2 135M",
    architecture: "llama",
    layers: 30,
    hidden: 576,
    feedForward: 1536,
    heads: 9,
    kvHeads: 3,
    headDim: 64,
    rotaryDim: 64,
    vocabulary: 49152,
    contextLength: 8192,
    ropeBase: 100_000,
    epsilon: 1e-5,
    tied: true,
    mix: "q4_1",
    tokenizer: { model: "gpt2", pre: "smollm" },
  },
  {
    name: "qwen3-0.6b",
    title: "Qwen3 0.6B",
    architecture: "qwen3",
    layers: 28,
    hidden: 1024,
    feedForward: 3072,
    heads: 16,
    kvHeads: 8,
    headDim: 128,
    rotaryDim: 128,
    vocabulary: 151_936,
    contextLength: 40_960,
    ropeBase: 1e6,
    epsilon: 1e-6,
    tied: true,
    mix: "q4_k_m",
    tokenizer: { model: "gpt2", pre: "qwen2" },
  },
  {
    name: "llama-3.2-1b",
    title: "Llama 3.2 1B",
    architecture: "llama",
    layers: 16,
    hidden: 2048,
    feedForward: 8192,
    heads: 32,
    kvHeads: 8,
    headDim: 64,
    rotaryDim: 64,
    vocabulary: 128_256,
    contextLength: 131_072,
    ropeBase: 500_000,
    epsilon: 1e-5,
    tied: true,
    mix: "q4_k_m",
    tokenizer: { model: "gpt2", pre: "llama-bpe" },
    ropeFactor: 32,
  },
  {
    name: "qwen3-8b",
    title: "Qwen3 8B",
    architecture: "qwen3",
    layers: 36,
    hidden: 4096,
    feedForward: 12_288,
    heads: 32,
    kvHeads: 8,
    headDim: 128,
    rotaryDim: 128,
    vocabulary: 151_936,
    contextLength: 40_960,
    ropeBase: 1e6,
    epsilon: 1e-6,
    tied: false,
    mix: "q4_k_m",
    tokenizer: { model: "gpt2", pre: "qwen2" },
  },
  {
    name: "qwen3.5-35b-a3b",
    title: "Qwen3.5 35B A3B",
    architecture: "qwen35moe",
    layers: 40,
    hidden: 2048,
    feedForward: 0,
    heads: 16,
    kvHeads: 2,
    headDim: 256,
    rotaryDim: 64,
    vocabulary: 248_320,
    contextLength: 262_144,
    ropeBase: 1e7,
    epsilon: 1e-6,
    tied: false,
    mix: "experts_q4_k_q5_k",
    tokenizer: { model: "gpt2", pre: "qwen35" },
    experts: { count: 256, used: 8, width: 512, sharedWidth: 512 },
    deltaNet: { keyHeads: 16, valueHeads: 32, headDim: 128, convolution: 4, interval: 4 },
  },
  {
    name: "gpt-oss-20b",
    title: "gpt-oss 20B",
    architecture: "gpt-oss",
    layers: 24,
    hidden: 2880,
    feedForward: 2880,
    heads: 64,
    kvHeads: 8,
    headDim: 64,
    rotaryDim: 64,
    vocabulary: 201_088,
    contextLength: 131_072,
    ropeBase: 150_000,
    epsilon: 1e-5,
    tied: false,
    mix: "mxfp4_moe",
    tokenizer: { model: "gpt2", pre: "gpt-4o" },
    window: 128,
    experts: { count: 32, used: 4, width: 2880, sharedWidth: 0 },
  },
  {
    name: "gemma-3-27b",
    title: "Gemma 3 27B",
    architecture: "gemma3",
    layers: 62,
    hidden: 5376,
    feedForward: 21_504,
    heads: 32,
    kvHeads: 16,
    headDim: 128,
    rotaryDim: 128,
    vocabulary: 262_208,
    contextLength: 131_072,
    ropeBase: 1e6,
    epsilon: 1e-6,
    tied: true,
    mix: "q4_k_m",
    tokenizer: { model: "llama", pre: "default", spacePrefix: false },
    window: 1024,
  },
  {
    name: "llama-2-7b",
    title: "Llama 2 7B",
    architecture: "llama",
    layers: 32,
    hidden: 4096,
    feedForward: 11_008,
    heads: 32,
    kvHeads: 32,
    headDim: 128,
    rotaryDim: 128,
    vocabulary: 32_000,
    contextLength: 4096,
    ropeBase: 10_000,
    epsilon: 1e-5,
    tied: false,
    mix: "q4_0",
    tokenizer: { model: "llama", pre: "default" },
  },
];
