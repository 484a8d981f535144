/**
 * Collects the messages of the Khronos validation layer.
 *
 * They are read from the layer's log file. A debug-utils callback would be called on whatever thread the driver uses,
 * would have to wait there for the event loop while the layer holds its lock, and the main thread may be waiting for
 * that lock: a deadlock. A file has no such trouble. The layer reads its settings once per process, so all instances
 * share one log; each remembers where its own part begins.
 */

/** Name of the layer. */
export const VALIDATION_LAYER = "VK_LAYER_KHRONOS_validation";

let logPath: string | undefined;

/** A reader of the messages that were logged since it was made. */
export class ValidationLog {
  readonly #path: string;
  readonly #start: number;

  /** Call before `vkCreateInstance`. */
  constructor() {
    this.#path = logPath ??= configureLayer();
    this.#start = fileBytes(this.#path);
  }

  /** One string per message: errors, warnings and performance warnings. */
  messages(): string[] {
    if (fileBytes(this.#path) <= this.#start) return [];
    const text = new TextDecoder().decode(Deno.readFileSync(this.#path).subarray(this.#start));
    return text.split(/\n(?=\S*\s*(?:Validation |UNASSIGNED|VUID))|\n\n/).map((m) => m.trim()).filter((m) =>
      m !== ""
    );
  }
}

/** Points the layer at a settings file by its environment variable, and removes both files when the process ends. */
function configureLayer(): string {
  const folder = Deno.makeTempDirSync({ prefix: "zinc-validation-" });
  const log = `${folder}/log.txt`;
  Deno.writeTextFileSync(
    `${folder}/vk_layer_settings.txt`,
    [
      "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG",
      "khronos_validation.report_flags = error,warn,perf",
      `khronos_validation.log_filename = ${log}`,
      "",
    ].join("\n"),
  );
  Deno.env.set("VK_LAYER_SETTINGS_PATH", folder);
  addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  return log;
}

function fileBytes(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0; // the layer makes the file at its first message
  }
}
