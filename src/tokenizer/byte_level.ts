/**
 * GPT-2's byte alphabet: each of the 256 bytes written as one printable character, so that a vocabulary of byte
 * strings can be kept as text. Printable Latin-1 characters stand for themselves, the other bytes are U+0100 and on.
 * Defined by `bytes_to_unicode` in encoder.py of the GPT-2 repository.
 */

/** The character of each byte. */
export const BYTE_TO_CHARACTER: readonly string[] = alphabet();
const CHARACTER_TO_BYTE: ReadonlyMap<string, number> = new Map(BYTE_TO_CHARACTER.map((c, byte) => [c, byte]));
const encoder = new TextEncoder();

function alphabet(): string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);
    return String.fromCharCode(printable ? byte : next++);
  });
}

/** `bytes` in the byte alphabet. */
export function toByteAlphabet(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += BYTE_TO_CHARACTER[byte];
  return text;
}

/** The bytes that `text` stands for; a character that is not of the alphabet stands for its own UTF-8. */
export function fromByteAlphabet(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const byte = CHARACTER_TO_BYTE.get(character);
    if (byte !== undefined) bytes.push(byte);
    else bytes.push(...encoder.encode(character));
  }
  return Uint8Array.from(bytes);
}
