/** Folders that live as long as a test. */

/** A fresh folder, deleted with everything in it when disposed. */
export class TempDirectory implements Disposable {
  /** Absolute path. */
  readonly path: string = Deno.makeTempDirSync({ prefix: "zinc_test_" });

  /** Path of `name` inside the folder. */
  join(...names: string[]): string {
    return [this.path, ...names].join("/");
  }

  /** Names in the folder, sorted. */
  names(): string[] {
    return Array.from(Deno.readDirSync(this.path), (entry) => entry.name).sort();
  }

  /** Deletes the folder. */
  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}
