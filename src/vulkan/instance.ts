/** The Vulkan instance: the loader, the validation layer when wanted, and the adapters of this machine. */
import { Arena } from "../../ffi/arena.ts";
import { apiVersion, INSTANCE_CREATE, RESULT, versionText } from "../../ffi/enums.ts";
import type { VulkanFunctions } from "../../ffi/functions.ts";
import { enumerate, readU32, readU64 } from "../../ffi/read.ts";
import { installHint, LoaderError, loadVulkan } from "../../ffi/loader.ts";
import {
  ApplicationInfo,
  ExtensionProperties,
  Handle,
  InstanceCreateInfo,
  LayerProperties,
} from "../../ffi/structs/instance.ts";
import { UserError } from "../common/errors.ts";
import { Adapter } from "./adapter.ts";
import { check } from "./result.ts";
import { VALIDATION_LAYER, ValidationLog } from "./validation.ts";

const PORTABILITY_ENUMERATION = "VK_KHR_portability_enumeration";

/** Options of {@linkcode Instance.create}. */
export interface InstanceOptions {
  /** Load the Khronos validation layer. Default: whether `ZINC_VALIDATION` is 1. */
  validation?: boolean;
  /** Called with each message of the validation layer when the instance is disposed. */
  onMessage?: (message: string) => void;
}

/** Connection to the Vulkan loader. */
export class Instance implements Disposable {
  /** Function table. */
  readonly vk: VulkanFunctions;
  /** `VkInstance`. */
  readonly handle: bigint;
  readonly #log: ValidationLog | null;
  static #ofProcess: Instance | undefined;
  static #waking: Promise<void> | undefined;
  #references = 1;
  #disposed = false;
  readonly #onMessage: ((message: string) => void) | undefined;

  private constructor(
    vk: VulkanFunctions,
    handle: bigint,
    log: ValidationLog | null,
    options: InstanceOptions,
  ) {
    this.vk = vk;
    this.handle = handle;
    this.#log = log;
    this.#onMessage = options.onMessage;
  }

  /**
   * Opens the loader and creates the instance.
   *
   * @throws UserError when there is no loader, no driver, or no validation layer although it was asked for.
   */
  static create(options: InstanceOptions = {}): Instance {
    const vk = open();
    using call = new CreateCall(vk, options);
    return Instance.#from(call, vk.vkCreateInstance(call.info, null, call.handle), options);
  }

  static #from({ vk, log, handle }: CreateCall, result: number, options: InstanceOptions): Instance {
    if (result === RESULT.ERROR_INCOMPATIBLE_DRIVER) throw noDriver();
    check(result, "start Vulkan");
    log?.attached();
    return new Instance(vk, readU64(handle), log, options);
  }

  /**
   * The instance that this process keeps to its end: NVIDIA's loader finds no driver any more once about 29 instances have come and
   * gone, and a process may load more models than that. Not to be disposed. Throws like {@linkcode create}.
   */
  static ofProcess(): Instance {
    return Instance.#ofProcess ??= Instance.create();
  }

  /**
   * Readies the instance of {@linkcode ofProcess} on threads: drivers take their time to load and to find their devices. Until this
   * resolves, nobody may ask for the instance or leave the process. Fails silently: the next call says why.
   */
  static wake(): Promise<void> {
    if (Instance.#ofProcess) return Promise.resolve();
    return Instance.#waking ??= Instance.#wake().catch(() => {});
  }

  static async #wake(): Promise<void> {
    const vk = open();
    const count = new Uint8Array(new ArrayBuffer(4));
    await vk.vkEnumerateInstanceExtensionPropertiesAsync(null, count, null); // loads the drivers
    using call = new CreateCall(vk, {});
    const result = await vk.vkCreateInstanceAsync(call.info, null, call.handle);
    const instance = Instance.#from(call, result, {});
    await vk.vkEnumeratePhysicalDevicesAsync(instance.handle, count, null); // wakes the devices
    Instance.#ofProcess = instance;
  }

  /** Every device that a driver offers, in the loader's order. Empty without a driver. */
  adapters(): Adapter[] {
    return enumerate(
      Handle,
      (count, content) =>
        check(this.vk.vkEnumeratePhysicalDevices(this.handle, count, content), "list Vulkan devices"),
    ).map((found) => new Adapter(this, found.handle));
  }

  /** What the validation layer has said since this instance was created; empty when it is not loaded. */
  get validationMessages(): string[] {
    return this.#log?.messages() ?? [];
  }

  /** Whether the validation layer is loaded. */
  get validating(): boolean {
    return this.#log !== null;
  }

  /** Keeps the instance until the matching {@linkcode release}: a device must not outlive it. */
  retain(): void {
    this.#references++;
  }

  /** Undoes one {@linkcode retain}. */
  release(): void {
    if (--this.#references > 0) return;
    this.vk.vkDestroyInstance(this.handle, null);
    this.#log?.[Symbol.dispose]();
    if (this.#onMessage) this.validationMessages.forEach(this.#onMessage);
  }

  /** Gives the instance up; it is destroyed after its last device. */
  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.release();
  }
}

/** The arguments of one `vkCreateInstance`. */
class CreateCall implements Disposable {
  readonly vk: VulkanFunctions;
  readonly log: ValidationLog | null;
  readonly info: Uint8Array;
  readonly handle: Uint8Array;
  readonly #arena = new Arena();

  constructor(vk: VulkanFunctions, options: InstanceOptions) {
    this.vk = vk;
    const validation = options.validation ?? Deno.env.get("ZINC_VALIDATION") === "1";
    if (validation && !layerNames(vk).includes(VALIDATION_LAYER)) {
      throw new UserError(
        `Cannot validate: ${VALIDATION_LAYER} is not installed (Debian: vulkan-validationlayers)`,
      );
    }
    this.log = validation ? new ValidationLog() : null;
    const portable = instanceExtensionNames(vk).includes(PORTABILITY_ENUMERATION);
    const layers = validation ? [VALIDATION_LAYER] : [];
    const extensions = portable ? [PORTABILITY_ENUMERATION] : [];
    const arena = this.#arena;
    this.info = arena.struct(InstanceCreateInfo, {
      flags: portable ? INSTANCE_CREATE.ENUMERATE_PORTABILITY : 0,
      pApplicationInfo: arena.struct(ApplicationInfo, {
        pApplicationName: arena.string("zinc"),
        pEngineName: arena.string("zinc"),
        apiVersion: apiVersion(1, 3),
      }),
      enabledLayerCount: layers.length,
      ppEnabledLayerNames: arena.strings(layers),
      enabledExtensionCount: extensions.length,
      ppEnabledExtensionNames: arena.strings(extensions),
    });
    this.handle = arena.alloc(8);
  }

  [Symbol.dispose](): void {
    this.#arena[Symbol.dispose]();
  }
}

/** The error for a system whose Vulkan loader finds no driver. */
export function noDriver(): UserError {
  return new UserError(`Cannot find a Vulkan driver for any device: ${installHint(Deno.build.os)}`);
}

/** Whether the Khronos validation layer is installed; false without a loader. */
export function validationAvailable(): boolean {
  try {
    return layerNames(open()).includes(VALIDATION_LAYER);
  } catch {
    return false;
  }
}

function open(): VulkanFunctions {
  try {
    const vk = loadVulkan();
    // Before any driver is loaded, which reads these. zinc ranks devices itself; Mesa's layer for that would only add its complaints
    // about an absent desktop.
    Deno.env.set("NODEVICE_SELECT", "1");
    // Mesa's software device loads memory lane by lane, which costs half as much per lane in vectors of 128 bits: a token
    // takes 0.6 times as long as with the 256 that it prefers.
    if (!Deno.env.get("LP_NATIVE_VECTOR_WIDTH")) Deno.env.set("LP_NATIVE_VECTOR_WIDTH", "128");
    const version = new Uint8Array(new ArrayBuffer(4));
    check(vk.vkEnumerateInstanceVersion(version), "ask for the Vulkan version");
    if (readU32(version) < apiVersion(1, 2)) {
      throw new UserError(
        `Cannot use the Vulkan loader: it is version ${
          versionText(readU32(version))
        }, zinc needs 1.2; update it`,
      );
    }
    return vk;
  } catch (error) {
    if (error instanceof LoaderError) throw new UserError(error.message, { cause: error });
    throw error;
  }
}

function layerNames(vk: VulkanFunctions): string[] {
  return enumerate(
    LayerProperties,
    (count, content) => check(vk.vkEnumerateInstanceLayerProperties(count, content), "list Vulkan layers"),
  ).map((layer) => layer.layerName);
}

function instanceExtensionNames(vk: VulkanFunctions): string[] {
  return enumerate(
    ExtensionProperties,
    (count, content) =>
      check(vk.vkEnumerateInstanceExtensionProperties(null, count, content), "list Vulkan extensions"),
  ).map((e) => e.extensionName);
}
