/** Runs a command on a pseudo-terminal made by util-linux's `script`, types into it and reads its screen as text. */

/** True where `script` understands the options used here (util-linux; BSD's does not). */
export const HAS_PTY: boolean = (() => {
  try {
    const { success, stdout } = new Deno.Command("script", { args: ["--version"], stderr: "null" })
      .outputSync();
    return success && new TextDecoder().decode(stdout).includes("util-linux");
  } catch {
    return false;
  }
})();

const PATIENCE_MS = 20_000;

/** A shell command on its own terminal of 80 columns. */
export class Pty implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<void>;
  readonly #encoder = new TextEncoder();
  #screen = "";
  #seen = 0;
  #changed = Promise.withResolvers<void>();
  #ended = false;

  /** Starts `command` (for `sh`) with `env` besides the environment. */
  constructor(command: string, env: Record<string, string> = {}) {
    this.#child = new Deno.Command("script", {
      args: ["-qfec", `stty cols 80 rows 24; ${command}`, "/dev/null"],
      env: { TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#reading = this.#read();
  }

  /** Everything shown so far. */
  get screen(): string {
    return this.#screen;
  }

  /** Types `text`. */
  async type(text: string): Promise<void> {
    await this.#input.write(this.#encoder.encode(text));
  }

  /** Waits until `pattern` is shown after what earlier calls matched; returns the match. */
  async expect(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
    try {
      while (true) {
        const match = pattern.exec(this.#screen.slice(this.#seen));
        if (match) {
          this.#seen += match.index + match[0].length;
          return match;
        }
        if (this.#ended) {
          throw new Error(`never shown: ${pattern}; the screen: ${JSON.stringify(this.#screen)}`);
        }
        await this.#changed.promise;
      }
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Waits for the end of the command; returns its exit code. */
  async exitCode(): Promise<number> {
    const { code } = await this.#child.status;
    await this.#reading;
    return code;
  }

  /** Ends the command if it runs still. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {});
    if (!this.#ended) this.#child.kill("SIGKILL");
    await this.exitCode();
  }

  async #read(): Promise<void> {
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      this.#screen += text;
      this.#notify();
    }
    this.#ended = true;
    this.#notify();
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
