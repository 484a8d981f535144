/** From a file's metadata to its tokenizer: which algorithm, with which options. */
import { UserError } from "../common/errors.ts";
import { printable } from "../common/printable.ts";
import { BytePairModel } from "./bpe.ts";
import { CharacterMap } from "./character_map.ts";
import { type PreTokenizer, preTokenizer } from "./pre_tokenizers.ts";
import { RwkvModel } from "./rwkv.ts";
import { SentencePieceModel } from "./sentencepiece.ts";
import type { StripRules } from "./special_matcher.ts";
import { readAddFlag, readEndOfGeneration, readSpecialIds, type SpecialIds } from "./special_tokens.ts";
import type { Tokenizer, TokenizerKind } from "./tokenizer.ts";
import type { TokenModel } from "./token_model.ts";
import { UnigramModel } from "./unigram.ts";
import { NO_TOKEN, type TokenizerMetadata, Vocabulary } from "./vocabulary.ts";
import { VocabularyTokenizer } from "./vocabulary_tokenizer.ts";
import { WordPieceModel } from "./wordpiece.ts";

/** What an algorithm's builder gets, and where it leaves warnings. */
interface Source {
  metadata: TokenizerMetadata;
  vocabulary: Vocabulary;
  ids: SpecialIds;
  warnings: string[];
}

/** An algorithm with the defaults that go with it. */
interface Built {
  model: TokenModel;
  addBos: boolean;
  addEos: boolean;
  addSpacePrefix: boolean;
}

const BUILDERS: Record<TokenizerKind, (source: Source) => Built> = {
  gpt2: buildBytePair,
  gemma4: buildGemma4,
  llama: buildSentencePiece,
  bert: buildWordPiece,
  t5: buildUnigram,
  rwkv: buildRwkv,
};

/** Kinds of tokenizer that can be made. */
export const TOKENIZER_KINDS: readonly string[] = Object.keys(BUILDERS);

/**
 * The tokenizer that a file describes.
 *
 * Throws {@linkcode UserError} when the file has none, one of an unknown kind, or one that contradicts itself. What is
 * doubtful but usable is in `warnings`.
 */
export function createTokenizer(metadata: TokenizerMetadata): Tokenizer {
  const kind = readKind(metadata);
  const vocabulary = new Vocabulary(metadata);
  const ids = readSpecialIds(metadata, kind, vocabulary);
  const warnings: string[] = [];
  const { model, addBos, addEos, addSpacePrefix } = BUILDERS[kind]({ metadata, vocabulary, ids, warnings });
  return new VocabularyTokenizer({
    kind,
    vocabulary,
    model,
    ids,
    endOfGeneration: readEndOfGeneration(metadata, vocabulary, ids),
    addBos: readAddFlag(metadata, "bos", ids, addBos),
    addEos: readAddFlag(metadata, "eos", ids, addEos),
    addSpacePrefix,
    strip: readStripRules(metadata, vocabulary),
    warnings,
  });
}

function readKind(metadata: TokenizerMetadata): TokenizerKind {
  const key = "tokenizer.ggml.model";
  if (!metadata.has(key)) {
    throw new UserError(`Cannot tokenize for this model: its file has no tokenizer (key "${key}")`);
  }
  const kind = metadata.string(key);
  if (Object.hasOwn(BUILDERS, kind)) return kind as TokenizerKind;
  throw new UserError(
    `Cannot tokenize for this model: tokenizer "${printable(kind)}" is not supported (supported: ` +
      `${TOKENIZER_KINDS.join(", ")})`,
  );
}

function buildBytePair(source: Source): Built {
  return bytePair(source, readPreTokenizer(source.metadata, source.warnings));
}

/** Gemma 4: byte-pair merges over characters; its files name no pre-tokenizer. */
function buildGemma4(source: Source): Built {
  return { ...bytePair(source, preTokenizer("gemma4")!), addBos: true };
}

function bytePair({ metadata, vocabulary, ids }: Source, pre: PreTokenizer): Built {
  const merges = metadata.strings("tokenizer.ggml.merges");
  const model = new BytePairModel(vocabulary, merges, {
    pre,
    unknown: pre.characters ? ids.unknown : undefined,
  });
  return { model, addBos: pre.addBos, addEos: false, addSpacePrefix: false };
}

function readPreTokenizer(metadata: TokenizerMetadata, warnings: string[]): PreTokenizer {
  const name = metadata.string("tokenizer.ggml.pre", "");
  const known = preTokenizer(name);
  if (known) return known;
  const found = name === ""
    ? "does not name its pre-tokenizer"
    : `has an unknown pre-tokenizer "${printable(name)}"`;
  warnings.push(
    `The model ${found} (tokenizer.ggml.pre): answers may be worse, for text is cut by a generic rule`,
  );
  return preTokenizer("default")!;
}

function buildSentencePiece({ metadata, vocabulary, ids }: Source): Built {
  const addSpacePrefix = metadata.boolean("tokenizer.ggml.add_space_prefix", true);
  if (ids.unknown === undefined && vocabulary.byteTokens.includes(NO_TOKEN)) {
    throw new UserError(
      "Cannot use this model's tokenizer: it has neither a token for every byte nor one for unknown text",
    );
  }
  const options = { addSpacePrefix, unknown: ids.unknown };
  const model = new SentencePieceModel(vocabulary, readScores(vocabulary), options);
  return { model, addBos: true, addEos: false, addSpacePrefix };
}

function buildWordPiece({ metadata, vocabulary, ids }: Source): Built {
  const lowercase = metadata.boolean("tokenizer.ggml.normalizer.lowercase", true);
  const stripAccents = metadata.boolean("tokenizer.ggml.normalizer.strip_accents", lowercase);
  const model = new WordPieceModel(vocabulary, { lowercase, stripAccents, unknown: readUnknown(ids) });
  return { model, addBos: true, addEos: true, addSpacePrefix: true };
}

function buildUnigram({ metadata, vocabulary, ids }: Source): Built {
  const addSpacePrefix = metadata.boolean("tokenizer.ggml.add_space_prefix", true);
  const map = "tokenizer.ggml.precompiled_charsmap";
  const model = new UnigramModel(vocabulary, readScores(vocabulary), {
    addSpacePrefix,
    removeExtraWhitespaces: metadata.boolean("tokenizer.ggml.remove_extra_whitespaces", false),
    unknown: readUnknown(ids),
    characterMap: metadata.has(map) ? new CharacterMap(Uint8Array.from(metadata.numbers(map))) : undefined,
  });
  return { model, addBos: false, addEos: true, addSpacePrefix };
}

function buildRwkv({ vocabulary }: Source): Built {
  return { model: new RwkvModel(vocabulary), addBos: false, addEos: false, addSpacePrefix: false };
}

function readScores(vocabulary: Vocabulary): ArrayLike<number> {
  if (vocabulary.scores) return vocabulary.scores;
  throw new UserError('Cannot use this model\'s tokenizer: its file has no key "tokenizer.ggml.scores"');
}

function readUnknown(ids: SpecialIds): number {
  if (ids.unknown !== undefined) return ids.unknown;
  throw new UserError(
    'Cannot use this model\'s tokenizer: its file has no key "tokenizer.ggml.unknown_token_id"',
  );
}

/**
 * Which tokens swallow white space. GGUF does not store this; the models that need it are known by name, as in
 * llama.cpp: Phi-3's markers swallow what follows, the mask tokens of some encoders what comes before.
 */
function readStripRules(metadata: TokenizerMetadata, vocabulary: Vocabulary): StripRules {
  const none: StripRules = { left: new Set(), right: new Set() };
  const name = metadata.string("general.name", "").toLowerCase();
  if (/phi-?3/.test(name)) {
    const keep = new Set(["<unk>", "<s>", "<|endoftext|>"].map((text) => vocabulary.idOf(text)));
    const right = new Set<number>();
    for (let id = 0; id < vocabulary.size; id++) if (vocabulary.isControl(id) && !keep.has(id)) right.add(id);
    return { ...none, right };
  }
  const mask = /jina-v2-(de|es|code)/.test(metadata.string("tokenizer.ggml.pre", ""))
    ? "<mask>"
    : name.includes("modern-bert")
    ? "[MASK]"
    : "";
  const id = vocabulary.idOf(mask);
  return id === NO_TOKEN ? none : { ...none, left: new Set([id]) };
}
