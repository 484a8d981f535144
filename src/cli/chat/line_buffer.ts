/**
 * The text being edited: a list of graphemes (what a reader calls a character: an emoji with its modifiers is one)
 * and a cursor between them. Knows nothing of terminals.
 */

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Splits `text` into graphemes. */
export function graphemes(text: string): string[] {
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Editable text with a cursor. */
export class LineBuffer {
  #cells: string[] = [];
  #cursor = 0;
  #killed = "";

  /** The whole text. */
  get text(): string {
    return this.#cells.join("");
  }

  /** The graphemes, line feeds among them. */
  get cells(): readonly string[] {
    return this.#cells;
  }

  /** Index of the grapheme that the cursor stands before, 0 to `cells.length`. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Replaces everything; the cursor goes to the end. */
  set(text: string): void {
    this.#cells = graphemes(text);
    this.#cursor = this.#cells.length;
  }

  /** Inserts `text` at the cursor. */
  insert(text: string): void {
    // Joined before splitting: a combining mark typed after its letter belongs to the letter's grapheme.
    const before = this.#cells.slice(0, this.#cursor).join("") + text;
    const after = this.#cells.slice(this.#cursor).join("");
    this.#cells = graphemes(before + after);
    this.#cursor = this.#indexAtOffset(before.length);
  }

  /** Deletes the grapheme before the cursor. */
  backspace(): void {
    if (this.#cursor > 0) this.#cells.splice(--this.#cursor, 1);
  }

  /** Deletes the grapheme after the cursor. */
  delete(): void {
    this.#cells.splice(this.#cursor, 1);
  }

  /** Moves the cursor by `step` graphemes and stays inside the text. */
  move(step: number): void {
    this.#cursor = Math.min(Math.max(this.#cursor + step, 0), this.#cells.length);
  }

  /** Moves to the start of the current line. */
  home(): void {
    this.#cursor = this.#lineStart();
  }

  /** Moves to the end of the current line. */
  end(): void {
    this.#cursor = this.#lineEnd();
  }

  /** Moves to the start of the word before the cursor. */
  wordLeft(): void {
    this.#cursor = this.#wordStart();
  }

  /** Moves behind the word after the cursor. */
  wordRight(): void {
    while (this.#cursor < this.#cells.length && !isWord(this.#cells[this.#cursor])) this.#cursor++;
    while (this.#cursor < this.#cells.length && isWord(this.#cells[this.#cursor])) this.#cursor++;
  }

  /** Moves up or down one line inside the text, to the same grapheme of that line. False when there is none. */
  moveLine(step: -1 | 1): boolean {
    const start = this.#lineStart();
    const offset = this.#cursor - start;
    if (step < 0) {
      if (start === 0) return false;
      this.#cursor = start - 1;
    } else {
      const end = this.#lineEnd();
      if (end === this.#cells.length) return false;
      this.#cursor = end + 1;
    }
    const target = this.#lineStart();
    this.#cursor = Math.min(target + offset, this.#lineEnd());
    return true;
  }

  /** Cuts from the cursor to the end of the line. */
  deleteToEnd(): void {
    this.#cut(this.#cursor, this.#lineEnd());
  }

  /** Cuts from the start of the line to the cursor. */
  deleteToStart(): void {
    this.#cut(this.#lineStart(), this.#cursor);
  }

  /** Cuts the word before the cursor. */
  deleteWord(): void {
    this.#cut(this.#wordStart(), this.#cursor);
  }

  /** Inserts what was cut last. */
  yank(): void {
    this.insert(this.#killed);
  }

  #cut(from: number, to: number): void {
    if (from === to) return;
    this.#killed = this.#cells.splice(from, to - from).join("");
    this.#cursor = from;
  }

  #wordStart(): number {
    let index = this.#cursor;
    while (index > 0 && !isWord(this.#cells[index - 1])) index--;
    while (index > 0 && isWord(this.#cells[index - 1])) index--;
    return index;
  }

  #lineStart(): number {
    return this.#cursor === 0 ? 0 : this.#cells.lastIndexOf("\n", this.#cursor - 1) + 1;
  }

  #lineEnd(): number {
    const end = this.#cells.indexOf("\n", this.#cursor);
    return end < 0 ? this.#cells.length : end;
  }

  #indexAtOffset(offset: number): number {
    let index = 0;
    for (let seen = 0; seen < offset; index++) seen += this.#cells[index].length;
    return index;
  }
}

function isWord(grapheme: string): boolean {
  return /[\p{L}\p{N}\p{M}_]/u.test(grapheme);
}
