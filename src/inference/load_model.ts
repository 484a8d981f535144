/**
 * From a path to a model that answers: opens the file, checks that it fits, brings it to the device.
 *
 * Everything that can be refused is refused before the first byte of weights is read.
 */
import { DeviceWeights } from "../graph/device_weights.ts";
import { KernelSet } from "../kernels/kernel_set.ts";
import type { CacheTypes } from "../kernels/cache_types.ts";
import { type OpenModel, openModel } from "../models/open_model.ts";
import { createTokenizer } from "../tokenizer/create_tokenizer.ts";
import type { Tokenizer } from "../tokenizer/tokenizer.ts";
import { chooseAdapter, Device, Instance } from "../vulkan/mod.ts";
import type { Engine } from "./engine.ts";
import { checkMemory } from "./memory_needs.ts";
import { DEFAULT_UBATCH } from "./prompt_chunks.ts";
import { ReferenceEngine } from "./reference_engine.ts";
import { cacheTypesOf, uselessCacheTypes } from "./sequence_size.ts";
import { provenKernels } from "./self_test/matrix_units.ts";
import { Session } from "./session.ts";
import { VulkanEngine, type VulkanResources } from "./vulkan_engine.ts";

/** Which executor runs the model. */
export type ExecutorName = "vulkan" | "reference";

/** How to load. */
export interface LoadOptions {
  /** `vulkan` by default. */
  readonly executor?: ExecutorName;
  /** Number or part of the name of the Vulkan device; the best one by default. */
  readonly device?: string;
  /** Positions of the context; by default the model's own, at most 4096. */
  readonly contextLength?: number;
  /** How the user asks for a context of `count` positions, for messages; `-c` by default. */
  readonly fewerPositions?: (count: number) => string;
  /** Tokens of a prompt per batch; {@linkcode DEFAULT_UBATCH} by default. */
  readonly ubatch?: number;
  /** What keys and values are to be stored as; see {@linkcode cacheTypesOf}. For the reference executor, float32 by default. */
  readonly cacheTypes?: Partial<CacheTypes>;
  /** Told after each piece of the file. */
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
  /** Told, whenever kernels have to be compiled, how many of `total` are. */
  readonly onCompile?: (done: number, total: number) => void;
  /** Told what a user should know but need not stop for, one line each. */
  readonly onWarning?: (message: string) => void;
}

/** A loaded model. Sessions made from it must be disposed before it. */
export interface Model extends AsyncDisposable {
  readonly path: string;
  readonly open: OpenModel;
  readonly tokenizer: Tokenizer;
  /** What keys and values are stored as. */
  readonly cacheTypes: CacheTypes;
  /** The device that runs it; absent for the reference executor. */
  readonly device?: Device;
  /** A fresh sequence. */
  createSession(): Session;
  /** A fresh sequence without text: tokens in, logits out. */
  createEngine(): Engine;
}

/** Opens `path` and readies it for sessions. */
export async function loadModel(path: string, options: LoadOptions = {}): Promise<Model> {
  const { executor = "vulkan", cacheTypes: asked = {}, onWarning = () => {} } = options;
  await using stack = new AsyncDisposableStack();
  if (executor === "vulkan") await Instance.wake();
  const opening = executor === "vulkan" ? beginDevice(options, stack) : undefined;
  const open = stack.use(openModel(path, options.contextLength));
  const tokenizer = createTokenizer(open.file.metadata);
  tokenizer.warnings.forEach(onWarning);
  const cacheTypes = cacheTypesOf(open, asked, executor === "reference" ? "f32" : undefined);
  uselessCacheTypes(open, asked).forEach(onWarning);
  const resources = opening
    ? await vulkanResources(open, await opening, { ...options, cacheTypes }, stack)
    : undefined;
  const ubatch = ubatchFor(resources?.device, options);
  const createEngine = () =>
    resources
      ? new VulkanEngine(open, resources, ubatch, { cacheTypes })
      : new ReferenceEngine(open, ubatch, cacheTypes);
  const owned = stack.move();
  return {
    path,
    open,
    tokenizer,
    cacheTypes,
    device: resources?.device,
    createEngine,
    createSession: () => new Session(createEngine(), tokenizer),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Tokens per batch on `device`, or for the reference executor where there is none. */
function ubatchFor(device: Device | undefined, { ubatch }: LoadOptions): number {
  return ubatch ?? DEFAULT_UBATCH[device && !device.info.isCpu ? "gpu" : "cpu"];
}

/**
 * Begins to open the device, which the driver does on a thread while the file and its tokenizer are read here. What fails is told once it
 * is waited for, so that complaints about the file come first.
 */
function beginDevice(options: LoadOptions, stack: AsyncDisposableStack): Promise<Device> {
  const device = openDevice(options);
  device.catch(() => {});
  stack.defer(() => device.then((made) => made[Symbol.asyncDispose](), () => {}));
  return device;
}

async function openDevice({ device, onCompile }: LoadOptions): Promise<Device> {
  const adapter = chooseAdapter(Instance.ofProcess().adapters(), device);
  return await Device.createAside(adapter, { onCompile });
}

async function vulkanResources(
  open: OpenModel,
  device: Device,
  options: LoadOptions & { readonly cacheTypes: CacheTypes },
  stack: AsyncDisposableStack,
): Promise<VulkanResources> {
  const { name, isCpu } = device.info;
  if (isCpu) options.onWarning?.(`no GPU found: running on the CPU through ${name}, which is far slower`);
  const { cacheTypes } = options;
  const { contextLength } = open;
  const ubatch = ubatchFor(device, options);
  const expected = new KernelSet(device);
  const choices = { contextLength, ubatch, cacheTypes };
  const { workspace } = checkMemory(open, expected, device, choices, options.fewerPositions);
  const kernels = await provenKernels(device, options.onWarning ?? (() => {}));
  const { tensors, file } = open;
  const weights = stack.use(
    await DeviceWeights.upload(
      device,
      file,
      tensors.weights.values(),
      tensors.constants.values(),
      options.onProgress,
    ),
  );
  // Other kernels than expected may need more memory to work in.
  return {
    device,
    kernels,
    weights,
    workspace: kernels.coopmat === expected.coopmat ? workspace : undefined,
  };
}
