/**
 * The tokenizer of a GGUF file: special tokens are cut out, the text between them goes through the model's
 * algorithm, BOS and EOS are added; decoding is the way back.
 */
import { assert } from "../common/assert.ts";
import { UserError } from "../common/errors.ts";
import { SpecialMatcher, type StripRules } from "./special_matcher.ts";
import type { SpecialIds } from "./special_tokens.ts";
import { StreamDecoder } from "./stream_decoder.ts";
import type { DecodeOptions, EncodeOptions, Segment, Tokenizer, TokenizerKind } from "./tokenizer.ts";
import type { TokenModel } from "./token_model.ts";
import { NO_TOKEN, TOKEN_TYPE, type Vocabulary } from "./vocabulary.ts";

/** What a {@linkcode VocabularyTokenizer} is made of. */
export interface TokenizerParts {
  /** The algorithm's name. */
  kind: TokenizerKind;
  /** The tokens. */
  vocabulary: Vocabulary;
  /** The algorithm. */
  model: TokenModel;
  /** Ids with a role. */
  ids: SpecialIds;
  /** All tokens that end a generation. */
  endOfGeneration: ReadonlySet<number>;
  /** BOS before every text. */
  addBos: boolean;
  /** EOS after every text. */
  addEos: boolean;
  /** Whether encoding adds a leading space. */
  addSpacePrefix: boolean;
  /** Special tokens that swallow white space. */
  strip: StripRules;
  /** What to tell the user. */
  warnings: readonly string[];
}

/** UTF-16 code units that one call of `encode` takes; more is no prompt that any context holds. */
export const TEXT_LIMIT = 1 << 26;

const lossy = new TextDecoder("utf-8", { ignoreBOM: true });

/** See {@linkcode Tokenizer}; made by `createTokenizer`. */
export class VocabularyTokenizer implements Tokenizer {
  readonly kind: TokenizerKind;
  readonly vocabSize: number;
  readonly bos?: number;
  readonly eos?: number;
  readonly eot?: number;
  readonly pad?: number;
  readonly addBos: boolean;
  readonly addEos: boolean;
  readonly addSpacePrefix: boolean;
  readonly endOfGeneration: ReadonlySet<number>;
  readonly warnings: readonly string[];
  readonly #vocabulary: Vocabulary;
  readonly #model: TokenModel;
  readonly #matcher: SpecialMatcher;

  /** @param parts Read and checked by `createTokenizer`. */
  constructor(parts: TokenizerParts) {
    const { kind, vocabulary, ids, addBos, addEos, addSpacePrefix, endOfGeneration, warnings } = parts;
    this.kind = kind;
    this.vocabSize = vocabulary.size;
    this.bos = ids.bos;
    this.eos = ids.eos;
    this.eot = ids.eot;
    this.pad = ids.pad;
    this.addBos = addBos;
    this.addEos = addEos;
    this.addSpacePrefix = addSpacePrefix;
    this.endOfGeneration = endOfGeneration;
    this.warnings = warnings;
    this.#vocabulary = vocabulary;
    this.#model = parts.model;
    this.#matcher = new SpecialMatcher(vocabulary, parts.strip);
  }

  /** See {@linkcode Tokenizer}. */
  encode(text: string, options: EncodeOptions = {}): number[] {
    return this.encodeSegments([{ text, control: options.parseSpecial ?? false }], options);
  }

  /** See {@linkcode Tokenizer}. */
  encodeSegments(segments: readonly Segment[], options: Pick<EncodeOptions, "addSpecial"> = {}): number[] {
    const length = segments.reduce((sum, segment) => sum + segment.text.length, 0);
    if (length > TEXT_LIMIT) {
      throw new UserError(
        `Cannot tokenize a text of ${length} characters: at most ${TEXT_LIMIT} are possible`,
      );
    }
    const ids: number[] = [];
    let atStart = true;
    for (const fragment of this.#matcher.split(segments)) {
      if (typeof fragment === "string") this.#model.encode(fragment, atStart, ids);
      else if (atStart && this.isUserDefined(fragment)) this.#model.encode("", atStart, ids);
      if (typeof fragment === "number") ids.push(fragment);
      atStart = typeof fragment === "number" && this.isControl(fragment);
    }
    return this.#addSpecial(ids, options.addSpecial ?? true);
  }

  /** See {@linkcode Tokenizer}. */
  tokenBytes(id: number): Uint8Array {
    this.#check(id);
    const type = this.#vocabulary.types[id];
    if (type === TOKEN_TYPE.byte) return Uint8Array.of(this.#vocabulary.byteValue(id));
    const literal = this.isControl(id) || type === TOKEN_TYPE.userDefined;
    if (literal && this.kind !== "rwkv") return this.#vocabulary.rawBytes(id);
    return this.#model.bytes(id);
  }

  /** See {@linkcode Tokenizer}. */
  piece(id: number): string {
    return lossy.decode(this.tokenBytes(id));
  }

  /** See {@linkcode Tokenizer}. */
  idOf(text: string): number | undefined {
    const id = this.#vocabulary.idOf(text);
    return id === NO_TOKEN ? undefined : id;
  }

  /** See {@linkcode Tokenizer}. */
  decode(ids: ArrayLike<number>, options: DecodeOptions = {}): string {
    const stream = new StreamDecoder(this, { ...options, atStart: true });
    let text = "";
    for (let i = 0; i < ids.length; i++) text += stream.push(ids[i]);
    return text + stream.flush();
  }

  /** See {@linkcode Tokenizer}. */
  isControl(id: number): boolean {
    this.#check(id);
    return this.#vocabulary.isControl(id);
  }

  /** See {@linkcode Tokenizer}. */
  isUserDefined(id: number): boolean {
    this.#check(id);
    return this.#vocabulary.types[id] === TOKEN_TYPE.userDefined;
  }

  /** BOS and EOS as the file says, but never a second one beside one that the text brought along. */
  #addSpecial(ids: number[], which: boolean | "bos"): number[] {
    const { bos, eos } = this;
    const before = which && this.addBos && bos !== undefined && ids[0] !== bos ? [bos] : [];
    const after = which === true && this.addEos && eos !== undefined && ids.at(-1) !== eos ? [eos] : [];
    return before.length + after.length > 0 ? before.concat(ids, after) : ids;
  }

  #check(id: number): void {
    if (Number.isInteger(id) && id >= 0 && id < this.vocabSize) return;
    assert(false, `Token id ${id} is not below ${this.vocabSize}`); // made only now: all ids are asked about
  }
}
