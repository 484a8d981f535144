/**
 * SentencePiece's compiled normalization rules (`tokenizer.ggml.precompiled_charsmap`, mostly NFKC): a map from byte
 * strings to byte strings, the longest match wins.
 *
 * Layout: u32 size of the trie in bytes, the trie, then replacements as zero-terminated strings. The trie is a
 * XOR-compressed double array (Kanda 2018): units of 32 bits, whose fields are in the getters below.
 */
import { UserError } from "../common/errors.ts";

const encoder = new TextEncoder();
const HEADER_BYTES = 4;
const UNIT_BYTES = 4;

/** Applies the rules of a precompiled character map. */
export class CharacterMap {
  readonly #trie: DataView;
  readonly #units: number;
  readonly #replacements: Uint8Array;

  /** Throws {@linkcode UserError} when the sizes inside do not fit `blob`. */
  constructor(blob: Uint8Array) {
    const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
    const trieBytes = blob.length < HEADER_BYTES ? Infinity : view.getUint32(0, true);
    if (HEADER_BYTES + trieBytes > blob.length || trieBytes % UNIT_BYTES !== 0) throw broken();
    this.#trie = new DataView(blob.buffer, blob.byteOffset + HEADER_BYTES, trieBytes);
    this.#units = trieBytes / UNIT_BYTES;
    this.#replacements = blob.subarray(HEADER_BYTES + trieBytes);
  }

  /** `text` in UTF-8 with every rule applied. */
  apply(text: string): Uint8Array {
    const input = encoder.encode(text);
    const output: number[] = [];
    for (let at = 0; at < input.length;) {
      const { length, replacement } = this.#longestMatch(input, at);
      if (length > 0) {
        for (const byte of this.#replacement(replacement)) output.push(byte);
        at += length;
      } else {
        do output.push(input[at++]); while ((input[at] & 0xc0) === 0x80); // one whole character
      }
    }
    return Uint8Array.from(output);
  }

  #longestMatch(input: Uint8Array, at: number): { length: number; replacement: number } {
    const found = { length: 0, replacement: 0 };
    if (this.#units === 0) return found;
    let node = base(this.#unit(0));
    for (let i = at; i < input.length && input[i] !== 0; i++) {
      node ^= input[i];
      const unit = this.#unit(node);
      if (label(unit) !== input[i]) break;
      node ^= base(unit);
      if (hasValue(unit)) {
        found.length = i + 1 - at;
        found.replacement = value(this.#unit(node));
      }
    }
    return found;
  }

  #unit(index: number): number {
    if (index >= this.#units) throw broken();
    return this.#trie.getUint32(index * UNIT_BYTES, true);
  }

  #replacement(offset: number): Uint8Array {
    const end = this.#replacements.indexOf(0, offset);
    if (end < 0) throw broken();
    return this.#replacements.subarray(offset, end);
  }
}

/** Offset to the children, by XOR: bits 10 to 30, eight bits further left when bit 9 is set. */
function base(unit: number): number {
  return ((unit >>> 10) << ((unit & (1 << 9)) >>> 6)) >>> 0;
}

/** The byte that leads here; bit 31 marks a value and so never equals one. */
function label(unit: number): number {
  return (unit & 0x800000ff) >>> 0;
}

function hasValue(unit: number): boolean {
  return ((unit >>> 8) & 1) === 1;
}

function value(unit: number): number {
  return unit & 0x7fffffff;
}

function broken(): UserError {
  return new UserError(
    'Cannot use this model\'s tokenizer: key "tokenizer.ggml.precompiled_charsmap" is damaged; download the file again',
  );
}
