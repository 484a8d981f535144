/**
 * What a tokenizer offers, whatever its algorithm: text to token ids and back.
 *
 * The text between special tokens goes through the model's own algorithm (byte-pair encoding, SentencePiece,
 * WordPiece, Unigram, RWKV); everything else here is common to all of them.
 */

/** The algorithm, by the name that `tokenizer.ggml.model` gives it. */
export type TokenizerKind = "gpt2" | "llama" | "gemma4" | "bert" | "t5" | "rwkv";

/** Options of {@linkcode Tokenizer.encode}. */
export interface EncodeOptions {
  /** Add BOS and EOS as the file says, or BOS alone: what is fed to a model that goes on from there. Default true. */
  addSpecial?: boolean | "bos";
  /** Turn the text of control tokens into these tokens. Default false: it stays text. */
  parseSpecial?: boolean;
}

/** A stretch of text for {@linkcode Tokenizer.encodeSegments}. */
export interface Segment {
  /** The text; a token may begin in one segment and end in a later one. */
  text: string;
  /** Whether the text of a control token that lies wholly in such segments becomes that token. */
  control: boolean;
  /** Of a segment that is not `control`: whether user-defined tokens are not matched either. Default false. */
  plain?: boolean;
}

/** Options of {@linkcode Tokenizer.decode} and of a stream decoder. */
export interface DecodeOptions {
  /** Leave out control tokens. Default true. */
  skipSpecial?: boolean;
}

/** Text to token ids and back. Stateless but for caches. */
export interface Tokenizer {
  /** The algorithm. */
  readonly kind: TokenizerKind;
  /** Number of tokens; every id is below it. */
  readonly vocabSize: number;
  /** Beginning of sequence. */
  readonly bos?: number;
  /** End of sequence. */
  readonly eos?: number;
  /** End of turn. */
  readonly eot?: number;
  /** Padding. */
  readonly pad?: number;
  /** Whether a BOS belongs before every text. */
  readonly addBos: boolean;
  /** Whether an EOS belongs after every text (encoders and T5; never after a prompt). */
  readonly addEos: boolean;
  /** Whether text gets a leading space that decoding takes away again (SentencePiece's dummy prefix). */
  readonly addSpacePrefix: boolean;
  /** Every token that ends a generation: end of sequence, of turn, of message. */
  readonly endOfGeneration: ReadonlySet<number>;
  /** What the user must know before trusting the tokens, e.g. an unknown pre-tokenizer. */
  readonly warnings: readonly string[];

  /** Token ids of `text`. Throws `UserError` for a text beyond the size limit. */
  encode(text: string, options?: EncodeOptions): number[];
  /** Token ids of the joined segments: control tokens are recognised only inside segments marked `control`. */
  encodeSegments(segments: readonly Segment[], options?: Pick<EncodeOptions, "addSpecial">): number[];
  /** The bytes that a token stands for; they need not be whole characters. */
  tokenBytes(id: number): Uint8Array;
  /** The token for people: its bytes as text, U+FFFD where they are not whole characters. */
  piece(id: number): string;
  /** The id of the token that the file writes as `text`, or undefined. */
  idOf(text: string): number | undefined;
  /** The text of `ids`. */
  decode(ids: ArrayLike<number>, options?: DecodeOptions): string;
  /** Whether a token is for the model's eyes only: turn markers, BOS, EOS, padding, unknown. */
  isControl(id: number): boolean;
  /** Whether a token is user-defined: matched as a whole before the algorithm runs, but ordinary text. */
  isUserDefined(id: number): boolean;
}
