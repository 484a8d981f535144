/** The contract between the common part of a tokenizer and its algorithm. */

/** Turns text without special tokens into ids, and ids into bytes. */
export interface TokenModel {
  /**
   * Appends the ids of `text` to `output`. The text is empty where a user-defined token follows a start directly.
   * @param atStart Whether nothing or a control token comes before: the place of SentencePiece's leading space.
   */
  encode(text: string, atStart: boolean, output: number[]): void;
  /** The bytes that an ordinary token (one that stands for text, or a byte token) adds to decoded text. */
  bytes(id: number): Uint8Array;
}
