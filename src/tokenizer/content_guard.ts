/**
 * Keeps what people write apart from what the template writes, so that text in a message never becomes a control
 * token, however the template trims, splits or embeds it.
 *
 * Method: where a message (or tool, or any other variable) contains the text of a special token, the first character
 * of that text is replaced by a private-use character that occurs nowhere else; so is a character with which such a
 * text could begin across the end of the string, or go on across its start. Lengths and everything else stay as they
 * were, and text that no special token occurs in is not touched at all. After rendering, these characters are put
 * back, and their places are known: no token may cover them.
 *
 * Guarded are control tokens, everywhere; and user-defined tokens that the template itself writes (`<tool_call>`,
 * `<think>`), except in the assistant's own messages, where they are what the model wrote. There, too, a control token
 * that the template searches messages for is left alone: a template that cuts the thoughts off at `</think>` must find
 * it. Out of reach is only a template that takes characters out of the middle of a text and so closes a gap.
 */
import { assert } from "../common/assert.ts";
import { UserError } from "../common/errors.ts";
import { ABSENT } from "./pair_map.ts";
import { codeUnits } from "./special_matcher.ts";
import type { TemplateLiterals } from "./template/literals.ts";
import { type Dict, isKey, type Key, type Value } from "./template/values.ts";
import type { Segment, Tokenizer } from "./tokenizer.ts";
import { ROOT, Trie } from "./trie.ts";

const PRIVATE_USE = { first: 0xe000, last: 0xf8ff };
// As it is, or as an escape that a filter would write it as.
const PRIVATE_CHARACTER = /[\ue000-\uf8ff]|\\u[ef][0-9a-f]{3}/g;

/** The texts to guard in one kind of message. */
class GuardedTexts {
  readonly #whole = new Trie();
  readonly #tails = new Trie();

  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const units = codeUnits(text);
      this.#whole.add(units, 0);
      for (let i = 1; i < units.length; i++) this.#tails.add(units.subarray(i), 0);
    }
  }

  /** Indices of the characters of `text` that must be replaced. */
  places(text: string): number[] {
    const places: number[] = [];
    const trimmedEnd = text.trimEnd().length;
    for (let i = 0; i < text.length; i++) if (this.#mayBegin(text, i, trimmedEnd)) places.push(i);
    const start = text.length - text.trimStart().length;
    if (places[0] !== start && this.#goesOn(text, start)) places.unshift(start);
    return places;
  }

  /** Whether a guarded text begins at `at`: wholly, or cut off by the end of the string. */
  #mayBegin(text: string, at: number, end: number): boolean {
    let node = ROOT;
    for (let i = at; i < text.length; i++) {
      node = this.#whole.step(node, text.charCodeAt(i));
      if (node === ABSENT) return false;
      if (this.#whole.value(node) !== ABSENT || i + 1 === end || i + 1 === text.length) return true;
    }
    return false;
  }

  /** Whether the string, from `at` on, begins with the end of a guarded text. */
  #goesOn(text: string, at: number): boolean {
    let node = ROOT;
    for (let i = at; i < text.length; i++) {
      node = this.#tails.step(node, text.charCodeAt(i));
      if (node === ABSENT) return false;
      if (this.#tails.value(node) !== ABSENT) return true;
    }
    return false;
  }
}

/** Guards conversations for one tokenizer and one template. */
export class ContentGuard {
  readonly #templateText: string;
  readonly #inAssistant: GuardedTexts;
  readonly #elsewhere: GuardedTexts;

  /** @param literals Of the template. */
  constructor(tokenizer: Tokenizer, literals: TemplateLiterals) {
    const control: string[] = [];
    const markers: string[] = [];
    for (let id = 0; id < tokenizer.vocabSize; id++) {
      if (tokenizer.isControl(id)) control.push(tokenizer.piece(id));
      else if (tokenizer.isUserDefined(id) && literals.all.includes(tokenizer.piece(id))) {
        markers.push(tokenizer.piece(id));
      }
    }
    this.#templateText = literals.all;
    this.#elsewhere = new GuardedTexts([...control, ...markers.filter((text) => text.trim() !== "")]);
    this.#inAssistant = new GuardedTexts(control.filter((text) => !literals.soughtAfter.has(text)));
  }

  /** Starts one rendering. */
  begin(): GuardedRendering {
    return new GuardedRendering(this.#templateText, this.#inAssistant, this.#elsewhere);
  }
}

/** One rendering: replaces before it, puts back after it. */
export class GuardedRendering {
  readonly #templateText: string;
  readonly #inAssistant: GuardedTexts;
  readonly #elsewhere: GuardedTexts;
  readonly #standInOf = new Map<string, string>();
  readonly #originalOf = new Map<string, string>();
  #taken: ReadonlySet<string> = new Set();

  /** Made by {@linkcode ContentGuard.begin}. */
  constructor(templateText: string, inAssistant: GuardedTexts, elsewhere: GuardedTexts) {
    this.#templateText = templateText;
    this.#inAssistant = inAssistant;
    this.#elsewhere = elsewhere;
  }

  /** The variables with stand-ins in place of what must not become a token. */
  replace(variables: Dict): Dict {
    this.#standInOf.clear();
    this.#originalOf.clear();
    const taken = new Set<string>();
    collectPrivateCharacters(this.#templateText, taken);
    collectPrivateCharacters(variables, taken);
    this.#taken = taken;
    const replaced = new Map<Key, Value>();
    for (const [name, value] of variables) {
      const messages = name === "messages" && Array.isArray(value) ? value : undefined;
      replaced.set(
        name,
        messages ? messages.map((m) => this.#message(m)) : this.#value(value, this.#elsewhere),
      );
    }
    return replaced;
  }

  /** The rendered text in segments, everything as it was; a character that was replaced allows no special token. */
  restore(rendered: string): Segment[] {
    if (this.#originalOf.size === 0) return [{ text: rendered, control: true }];
    const standIns = [...this.#originalOf.keys()];
    // Filters that escape (tojson for ASCII, repr) may have written a stand-in as \uXXXX.
    const escapes = standIns.map((standIn) => "\\" + escaped(standIn));
    const segments: Segment[] = [];
    let end = 0;
    for (const match of rendered.matchAll(new RegExp([...standIns, ...escapes].join("|"), "g"))) {
      const standIn = standIns.find((character) =>
        character === match[0] || escaped(character) === match[0]
      )!;
      if (match.index > end) segments.push({ text: rendered.slice(end, match.index), control: true });
      segments.push({ text: this.#originalOf.get(standIn)!, control: false, plain: true });
      end = match.index + match[0].length;
    }
    if (end < rendered.length) segments.push({ text: rendered.slice(end), control: true });
    return segments;
  }

  #message(message: Value): Value {
    const assistant = message instanceof Map && message.get("role") === "assistant";
    return this.#value(message, assistant ? this.#inAssistant : this.#elsewhere);
  }

  #value(value: Value, guarded: GuardedTexts): Value {
    if (typeof value === "string") return this.#text(value, guarded);
    if (Array.isArray(value)) return value.map((item) => this.#value(item, guarded));
    if (!(value instanceof Map)) return value;
    const dict: Dict = new Map();
    for (const [key, item] of value) {
      const safeKey = this.#value(key, guarded);
      assert(isKey(safeKey));
      dict.set(safeKey, this.#value(item, guarded));
    }
    return dict;
  }

  #text(text: string, guarded: GuardedTexts): string {
    const places = guarded.places(text);
    if (places.length === 0) return text;
    let safe = "";
    let end = 0;
    for (const place of places) {
      safe += text.slice(end, place) + this.#standIn(text[place]);
      end = place + 1;
    }
    return safe + text.slice(end);
  }

  /** The private-use character that stands for `original` in this rendering. */
  #standIn(original: string): string {
    const known = this.#standInOf.get(original);
    if (known) return known;
    for (let code = PRIVATE_USE.first; code <= PRIVATE_USE.last; code++) {
      const standIn = String.fromCharCode(code);
      if (this.#taken.has(standIn) || this.#originalOf.has(standIn)) continue;
      this.#standInOf.set(original, standIn);
      this.#originalOf.set(standIn, original);
      return standIn;
    }
    throw new UserError(
      "Cannot use this conversation: its messages use up all private-use characters of Unicode",
    );
  }
}

function escaped(character: string): string {
  return "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
}

function collectPrivateCharacters(value: Value, found: Set<string>): void {
  if (typeof value === "string") {
    for (const [match] of value.matchAll(PRIVATE_CHARACTER)) {
      found.add(match.length === 1 ? match : String.fromCharCode(parseInt(match.slice(2), 16)));
    }
  } else if (Array.isArray(value)) {
    for (const item of value) collectPrivateCharacters(item, found);
  } else if (value instanceof Map) {
    for (const [key, item] of value) {
      collectPrivateCharacters(key, found);
      collectPrivateCharacters(item, found);
    }
  }
}
