/** SentencePiece's way of writing spaces inside tokens: U+2581, the lower one eighth block. */

/** The character that stands for a space. */
export const SPACE_MARK = "\u2581";

/** `text` with every space written as the mark. */
export function toSpaceMarks(text: string): string {
  return text.replaceAll(" ", SPACE_MARK);
}

/** `text` with every mark written as a space. */
export function fromSpaceMarks(text: string): string {
  return text.replaceAll(SPACE_MARK, " ");
}
