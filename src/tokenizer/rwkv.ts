/**
 * The RWKV "World" tokenizer: at every byte the longest token that matches, nothing more.
 * Tokens are byte strings, written in the file with the escapes \t \n \r \\ and \xNN.
 */
import { UserError } from "../common/errors.ts";
import { ABSENT } from "./pair_map.ts";
import type { TokenModel } from "./token_model.ts";
import { ROOT, Trie } from "./trie.ts";
import type { Vocabulary } from "./vocabulary.ts";

const encoder = new TextEncoder();
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|([^]))/gu;
const NAMED_ESCAPES: Record<string, number> = { t: 0x09, n: 0x0a, r: 0x0d };

/** The RWKV tokenizer's algorithm. */
export class RwkvModel implements TokenModel {
  readonly #tokens: Uint8Array[];
  readonly #trie = new Trie();

  /** Throws {@linkcode UserError} when a byte has no token: then not every text could be written. */
  constructor(vocabulary: Vocabulary) {
    this.#tokens = vocabulary.texts.map(unescape);
    this.#tokens.forEach((bytes, id) => {
      if (vocabulary.isText(id) && bytes.length > 0) this.#trie.add(bytes, id);
    });
    for (let byte = 0; byte < 256; byte++) {
      const node = this.#trie.step(ROOT, byte);
      if (node !== ABSENT && this.#trie.value(node) !== ABSENT) continue;
      throw new UserError(`Cannot use this model's tokenizer: no token stands for byte ${byte}`);
    }
  }

  /** See {@linkcode TokenModel}. */
  encode(text: string, _atStart: boolean, output: number[]): void {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length;) {
      let node = ROOT;
      let id = ABSENT;
      let end = at;
      for (let i = at; i < bytes.length; i++) {
        node = this.#trie.step(node, bytes[i]);
        if (node === ABSENT) break;
        if (this.#trie.value(node) === ABSENT) continue;
        id = this.#trie.value(node);
        end = i + 1;
      }
      output.push(id);
      at = end;
    }
  }

  /** See {@linkcode TokenModel}. */
  bytes(id: number): Uint8Array {
    return this.#tokens[id];
  }
}

/** The bytes that an escaped token stands for. */
function unescape(text: string): Uint8Array {
  if (!text.includes("\\")) return encoder.encode(text);
  const bytes: number[] = [];
  let end = 0;
  for (const match of text.matchAll(ESCAPE)) {
    bytes.push(...encoder.encode(text.slice(end, match.index)));
    if (match[1]) bytes.push(parseInt(match[1], 16));
    else if (Object.hasOwn(NAMED_ESCAPES, match[2])) bytes.push(NAMED_ESCAPES[match[2]]);
    else bytes.push(...encoder.encode(match[2]));
    end = match.index + match[0].length;
  }
  bytes.push(...encoder.encode(text.slice(end)));
  return Uint8Array.from(bytes);
}
