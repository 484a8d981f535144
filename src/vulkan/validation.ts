/**
 * Collects the messages of the Khronos validation layer.
 *
 * They are read from the layer's log file. A debug-utils callback would be called on whatever thread the driver uses,
 * would have to wait there for the event loop while the layer holds its lock, and the main thread may be waiting for
 * that lock: a deadlock. A file has no such trouble. The layer reads its settings when it is loaded and empties the log
 * for every new instance, so there is one validated instance at a time.
 */
import { assert } from "../common/assert.ts";

/** Name of the layer. */
export const VALIDATION_LAYER = "VK_LAYER_KHRONOS_validation";

/** Every message begins with its id: `VUID-...(ERROR / SPEC): msgNum: ...`. */
const MESSAGE_START = /^(?=\S+\((?:ERROR|WARN|PERF|INFO))/m;

/** The log of one instance. */
export class ValidationLog implements Disposable {
  readonly #folder: string;
  readonly #path: string;
  #messages: string[] | null = null;

  /** Points the layer at a settings file of ours; call before `vkCreateInstance`. */
  constructor() {
    this.#folder = Deno.makeTempDirSync({ prefix: "zinc-validation-" });
    this.#path = `${this.#folder}/log.txt`;
    const settings = [
      "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG",
      "khronos_validation.report_flags = error,warn,perf",
      `khronos_validation.log_filename = ${this.#path}`,
    ];
    Deno.writeTextFileSync(`${this.#folder}/vk_layer_settings.txt`, settings.join("\n") + "\n");
    Deno.env.set("VK_LAYER_SETTINGS_PATH", this.#folder);
  }

  /** Call after `vkCreateInstance`: asserts that the layer writes to this log. */
  attached(): void {
    let there = true;
    try {
      Deno.statSync(this.#path);
    } catch {
      there = false;
    }
    assert(there, "the validation layer keeps no log: another validated instance is alive");
  }

  /** Errors, warnings and performance warnings so far. */
  messages(): string[] {
    if (this.#messages !== null) return this.#messages;
    return Deno.readTextFileSync(this.#path).split(MESSAGE_START).map((m) => m.trim()).filter((m) =>
      m !== ""
    );
  }

  /** Keeps the messages and removes the files; call after `vkDestroyInstance`, which may complain too. */
  [Symbol.dispose](): void {
    this.#messages = this.messages();
    Deno.removeSync(this.#folder, { recursive: true });
  }
}
