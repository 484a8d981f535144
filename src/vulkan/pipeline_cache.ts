/**
 * Compiled pipelines on disk. Drivers that keep no cache of their own compile for seconds at every start. The file
 * belongs to one device and driver version, and carries a checksum: drivers do not always survive damaged data.
 * Whatever goes wrong here costs time and nothing else.
 */
import { join } from "node:path";
import { Arena } from "../../ffi/arena.ts";
import type { VulkanFunctions } from "../../ffi/functions.ts";
import { readU64 } from "../../ffi/read.ts";
import { PipelineCacheCreateInfo } from "../../ffi/structs/pipeline.ts";
import { cacheDirectory } from "../common/cache_directory.ts";
import type { Adapter } from "./adapter.ts";
import { check } from "./result.ts";

/** First bytes of the file: "ZPC1". */
const MAGIC = 0x3143505a;
/** Magic, FNV-1a of the data, then the data. */
const PREFIX_BYTES = 8;
/** Larger files are not ours. */
const MAX_BYTES = 256 * 2 ** 20;

/** A `VkPipelineCache` that is loaded from and saved to a file. */
export class PipelineCache implements Disposable {
  /** `VkPipelineCache`. */
  readonly handle: bigint;
  readonly #vk: VulkanFunctions;
  readonly #device: bigint;
  readonly #path: string | null;
  #savedBytes: number;

  /** For the device `device` made from `adapter`. */
  constructor(vk: VulkanFunctions, device: bigint, adapter: Adapter) {
    this.#vk = vk;
    this.#device = device;
    this.#path = cachePath(adapter, "bin");
    const data = this.#path === null ? null : readCache(this.#path, adapter);
    this.#savedBytes = data?.byteLength ?? 0;
    using arena = new Arena();
    const handle = arena.alloc(8);
    const info = arena.struct(PipelineCacheCreateInfo, {
      initialDataSize: this.#savedBytes,
      pInitialData: data,
    });
    check(vk.vkCreatePipelineCache(device, info, null, handle), "create a pipeline cache");
    this.handle = readU64(handle);
  }

  /** Writes the file if pipelines were added since it was read. A folder that cannot be written is left alone. */
  save(): void {
    if (this.#path === null) return;
    const data = this.#data();
    if (data === null || data.byteLength === this.#savedBytes) return;
    const temporary = `${this.#path}.${Deno.pid}`;
    try {
      Deno.mkdirSync(join(this.#path, ".."), { recursive: true });
      Deno.writeFileSync(temporary, wrapCache(data));
      Deno.renameSync(temporary, this.#path);
      this.#savedBytes = data.byteLength;
    } catch {
      try {
        Deno.removeSync(temporary);
      } catch { /* it was never made */ }
    }
  }

  /** Destroys the cache object; the file stays. */
  [Symbol.dispose](): void {
    this.#vk.vkDestroyPipelineCache(this.#device, this.handle, null);
  }

  #data(): Uint8Array | null {
    using arena = new Arena();
    const size = arena.alloc(8);
    if (this.#vk.vkGetPipelineCacheData(this.#device, this.handle, size, null) !== 0) return null;
    const data = new Uint8Array(new ArrayBuffer(Number(readU64(size))));
    if (this.#vk.vkGetPipelineCacheData(this.#device, this.handle, size, data) !== 0) return null;
    return data.subarray(0, Number(readU64(size)));
  }
}

/** `data` of a `VkPipelineCache` as it is stored: with a magic number and a checksum before it. */
export function wrapCache(data: Uint8Array): Uint8Array {
  const file = new Uint8Array(PREFIX_BYTES + data.byteLength);
  const view = new DataView(file.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, fnv1a(data), true);
  file.set(data, PREFIX_BYTES);
  return file;
}

/** The data in a stored cache, or null unless it is whole and was made by this very device and driver. */
export function unwrapCache(
  file: Uint8Array,
  device: { vendorId: number; deviceId: number; pipelineCacheUuid: string },
): Uint8Array | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.byteLength < PREFIX_BYTES + 32 || view.getUint32(0, true) !== MAGIC) return null;
  const data = file.subarray(PREFIX_BYTES);
  if (view.getUint32(4, true) !== fnv1a(data)) return null;
  // VkPipelineCacheHeaderVersionOne: size, version, vendor, device, UUID.
  const header = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const matches = header.getUint32(0, true) >= 32 && header.getUint32(4, true) === 1 &&
    header.getUint32(8, true) === device.vendorId && header.getUint32(12, true) === device.deviceId &&
    data.subarray(16, 32).toHex() === device.pipelineCacheUuid;
  return matches ? data : null;
}

function readCache(path: string, adapter: Adapter): Uint8Array | null {
  try {
    if (Deno.statSync(path).size > MAX_BYTES) return null;
    return unwrapCache(Deno.readFileSync(path), adapter);
  } catch {
    return null;
  }
}

/** File for what belongs to one device and driver version, with the ending `kind`; null where nothing is to be kept. */
export function cachePath(
  adapter: Pick<Adapter, "pipelineCacheUuid" | "driverVersion">,
  kind: string,
): string | null {
  if (Deno.env.get("ZINC_NO_PIPELINE_CACHE") === "1") return null;
  try {
    const name = `${adapter.pipelineCacheUuid}-${adapter.driverVersion.toString(16)}.${kind}`;
    return join(cacheDirectory(), "pipelines", name);
  } catch {
    return null; // no folder to keep anything in
  }
}

/** The 32-bit FNV-1a hash. */
export function fnv1a(data: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of data) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
