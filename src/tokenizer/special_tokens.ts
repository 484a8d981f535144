/**
 * The ids with a role (BOS, EOS, unknown …), what ends a generation, and whether BOS and EOS are added.
 *
 * Keys: "tokenizer.ggml.*" in docs/gguf.md of the ggml repository. Defaults where keys are absent follow llama.cpp.
 */
import { UserError } from "../common/errors.ts";
import { endsGeneration, turnEnds } from "./special_names.ts";
import type { TokenizerKind } from "./tokenizer.ts";
import { NO_TOKEN, TOKEN_TYPE, type TokenizerMetadata, type Vocabulary } from "./vocabulary.ts";

/** Token ids by role; a role that the model does not have is undefined. */
export interface SpecialIds {
  /** Beginning of sequence; `[CLS]` in BERT. */
  bos?: number;
  /** End of sequence; `[SEP]` in BERT. */
  eos?: number;
  /** End of turn. */
  eot?: number;
  /** End of message (a tool call follows). */
  eom?: number;
  /** What stands for text without a token. */
  unknown?: number;
  /** Separator. */
  sep?: number;
  /** Padding. */
  pad?: number;
  /** Classification. */
  cls?: number;
  /** Mask. */
  mask?: number;
}

// "seperator" is how the specification spells it.
const KEYS: Record<keyof SpecialIds, string> = {
  bos: "bos",
  eos: "eos",
  eot: "eot",
  eom: "eom",
  unknown: "unknown",
  sep: "seperator",
  pad: "padding",
  cls: "cls",
  mask: "mask",
};

const DEFAULT_TEXTS: Partial<Record<TokenizerKind, SpecialTexts>> = {
  llama: { bos: "<s>", eos: "</s>", unknown: "<unk>" },
  gemma4: { bos: "<bos>", eos: "<eos>", unknown: "<unk>" },
  bert: { bos: "[CLS]", eos: "[SEP]", unknown: "[UNK]", pad: "[PAD]", mask: "[MASK]" },
  t5: { eos: "</s>", unknown: "<unk>", pad: "<pad>" },
};
type SpecialTexts = Partial<Record<keyof SpecialIds, string>>;

/** Arrays of further ends of generation that some converters write. */
const END_ARRAYS = [
  "tokenizer.ggml.eos_token_ids",
  "tokenizer.ggml.eog_token_ids",
  "tokenizer.ggml.eot_token_ids",
];

/** What some converters write for a role that the model does not have: -1, or what that is as a u32. */
const NO_ID = [-1, 0xffffffff];

/** Reads the role ids. Throws {@linkcode UserError} for an id outside the vocabulary. */
export function readSpecialIds(
  metadata: TokenizerMetadata,
  kind: TokenizerKind,
  vocabulary: Vocabulary,
): SpecialIds {
  const ids: SpecialIds = {};
  const defaults = DEFAULT_TEXTS[kind] ?? {};
  for (const role of Object.keys(KEYS) as (keyof SpecialIds)[]) {
    ids[role] = firstId(metadata, `tokenizer.ggml.${KEYS[role]}_token_id`, vocabulary) ??
      known(vocabulary, defaults[role]);
  }
  ids.bos ??= ids.cls;
  if (kind === "bert") ids.eos = ids.sep ?? ids.eos;
  ids.eot ??= turnEnds().map((text) => known(vocabulary, text)).find((id) => id !== undefined);
  return ids;
}

/** Every token that ends a generation: by role, by the file's arrays, by name. */
export function readEndOfGeneration(
  metadata: TokenizerMetadata,
  vocabulary: Vocabulary,
  ids: SpecialIds,
): Set<number> {
  const ends = new Set<number>();
  for (const id of [ids.eos, ids.eot, ids.eom]) if (id !== undefined) ends.add(id);
  for (
    const key of ["eos", "eot", "eom"].map((role) => `tokenizer.ggml.${role}_token_id`).concat(END_ARRAYS)
  ) {
    for (const id of readIds(metadata, key, vocabulary)) ends.add(id);
  }
  for (let id = 0; id < vocabulary.size; id++) {
    if (endsGeneration(vocabulary.texts[id], vocabulary.isControl(id))) ends.add(id);
  }
  // Where messages have channels (gpt-oss), <|end|> only closes one of them: <|return|> and <|call|> end the turn.
  const end = vocabulary.idOf("<|end|>");
  const channels = vocabulary.idOf("<|call|>") !== NO_TOKEN && vocabulary.idOf("<|return|>") !== NO_TOKEN;
  const messages = vocabulary.idOf("<|calls|>") !== NO_TOKEN && vocabulary.idOf("<|flush|>") !== NO_TOKEN;
  if ((channels || messages) && end !== ids.eos) ends.delete(end);
  return ends;
}

/** `add_bos_token` or `add_eos_token`, which must then have a token to add. Throws {@linkcode UserError} otherwise. */
export function readAddFlag(
  metadata: TokenizerMetadata,
  role: "bos" | "eos",
  ids: SpecialIds,
  fallback: boolean,
): boolean {
  const key = `tokenizer.ggml.add_${role}_token`;
  if (!metadata.has(key)) return fallback && ids[role] !== undefined;
  const add = metadata.boolean(key);
  if (add && ids[role] === undefined) {
    throw new UserError(
      `Cannot use this model's tokenizer: "${key}" is true, but "tokenizer.ggml.${role}_token_id" is missing`,
    );
  }
  return add;
}

function firstId(metadata: TokenizerMetadata, key: string, vocabulary: Vocabulary): number | undefined {
  return readIds(metadata, key, vocabulary).at(0);
}

/** The ids under `key`: none, one, or the elements of an array. */
function readIds(metadata: TokenizerMetadata, key: string, vocabulary: Vocabulary): number[] {
  if (!metadata.has(key)) return [];
  const stored = metadata.isArray(key) ? Array.from(metadata.numbers(key)) : [metadata.number(key)];
  const ids = stored.filter((id) => !NO_ID.includes(id));
  for (const id of ids) {
    if (!Number.isInteger(id) || id < 0 || id >= vocabulary.size) {
      throw new UserError(
        `Cannot use this model's tokenizer: "${key}" is ${id}, but token ids are 0 to ${vocabulary.size - 1}`,
      );
    }
  }
  return ids;
}

function known(vocabulary: Vocabulary, text: string | undefined): number | undefined {
  const id = text === undefined ? NO_TOKEN : vocabulary.idOf(text);
  const hasRole = id !== NO_TOKEN && vocabulary.types[id] !== TOKEN_TYPE.userDefined;
  return hasRole ? id : undefined;
}
