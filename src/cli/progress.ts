/** Progress on standard error, for terminals only: a log file gets none. */
// @ts-types="@types/cli-progress"
import type { SingleBar } from "cli-progress";
import { writeError } from "./output.ts";

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

/**
 * Shows how far a driver is with compiling kernels, which takes long only at the first start: a line on a terminal that goes away when
 * all are done.
 */
export function compileProgress(): ((done: number, total: number) => void) | undefined {
  if (!Deno.stderr.isTerminal()) return undefined;
  const line = new CompileLine(writeError);
  return (done, total) => line.update(done, total);
}

/** The line of {@linkcode compileProgress}; exported for tests, with a clock of their own. */
export class CompileLine {
  readonly #write: (text: string) => void;
  readonly #now: () => number;
  #since = 0;
  #shown = false;

  /** Writes to `write`. */
  constructor(write: (text: string) => void, now: () => number = () => performance.now()) {
    this.#write = write;
    this.#now = now;
  }

  /** `done` of `total` kernels are compiled. */
  update(done: number, total: number): void {
    if (done === 1) this.#since = this.#now();
    if (done < total && this.#now() - this.#since >= PATIENCE_MS) {
      this.#shown = true;
      this.#write(`\r\x1b[Kzinc: compiling kernels for this device, ${done} of ${total}`);
    } else if (done === total && this.#shown) {
      this.#shown = false;
      this.#write("\r\x1b[K");
    }
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
