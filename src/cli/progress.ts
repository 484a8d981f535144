/** Progress on standard error, for terminals only: a log file gets none. */
// @ts-types="@types/cli-progress"
import type { SingleBar } from "cli-progress";

const PATIENCE_MS = 500;

/** Shows how one piece of work after the other grows. */
export class Progress implements Disposable {
  readonly #create: (() => SingleBar) | undefined;
  #bar: SingleBar | undefined;
  #title = "";
  #since = 0;

  private constructor(create?: () => SingleBar) {
    this.#create = create;
  }

  /** A bar where standard error is a terminal, elsewhere one that shows nothing. */
  static async open(): Promise<Progress> {
    if (!Deno.stderr.isTerminal()) return new Progress();
    const { default: library } = await import("cli-progress");
    const format = "{title} {bar} {percentage}% | {value} of {total} MB | {eta_formatted} left";
    const options = {
      format,
      fps: 5,
      barsize: 24,
      clearOnComplete: true,
      autopadding: true,
      gracefulExit: false,
    };
    return new Progress(() => new library.SingleBar(options, library.Presets.rect));
  }

  /** The work called `title` has done `done` of `total` bytes (undefined: nobody knows). */
  update(title: string, done: number, total: number | undefined): void {
    if (!this.#create) return;
    if (this.#title !== title) {
      this.stop();
      this.#title = title;
      this.#since = performance.now();
    }
    // What is done at once needs no bar.
    if (!this.#bar && performance.now() - this.#since < PATIENCE_MS) return;
    const [value, max] = [megabytes(done), megabytes(total ?? done)];
    if (!this.#bar) {
      this.#bar = this.#create();
      this.#bar.start(max, value, { title });
    }
    this.#bar.setTotal(max);
    this.#bar.update(value);
  }

  /** Ends the line of the bar. */
  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  /** Ends the line of the bar. */
  [Symbol.dispose](): void {
    this.stop();
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
