/**
 * What a graph would need on a device, found out without memory: it is readied as for a plan, and each node records its dispatches
 * into a recorder that only takes notes.
 */
import type { CacheTypes } from "../kernels/cache_types.ts";
import type { KernelSet } from "../kernels/kernel_set.ts";
import { cacheTypeOfSlot } from "../kernels/kv_cache.ts";
import type { DeviceMatrix, GpuContext } from "../kernels/operation.ts";
import { recordNode } from "../kernels/registry.ts";
import { stepBytes } from "../kernels/step_buffer.ts";
import { blockCount } from "../quant/formats.ts";
import { deviceBytes } from "../quant/planes.ts";
import type { ComputePipeline, DeviceBuffer, Recorder, Span } from "../vulkan/mod.ts";
import type { Graph } from "./builder.ts";
import { fuse } from "./fuse.ts";
import { planMemory } from "./memory_plan.ts";
import { inStages } from "./stages.ts";

/** Memory that a plan works in, besides weights and state. */
export interface Workspace {
  readonly arenaBytes: number;
  readonly scratchBytes: number;
}

/** What a dry run depends on. */
export interface DryRunOptions {
  readonly kernels: KernelSet;
  /** Takes the notes; by default none are taken. */
  readonly recorder?: Recorder;
  readonly contextBucket: number;
  readonly cacheTypes: CacheTypes;
}

/** Records `graph` without a trace; returns the memory that its plan would work in. */
export function dryRun(graph: Graph, options: DryRunOptions): Workspace {
  const { kernels, contextBucket, cacheTypes } = options;
  const readied = inStages(fuse(graph));
  const memory = planMemory(readied);
  let used = 0;
  let scratchBytes = 0;
  const context: GpuContext = {
    kernels,
    recorder: options.recorder ?? notingRecorder(kernels, () => {}),
    step: nowhere(stepBytes(graph.result.rows)),
    contextBucket,
    matrix({ root, rows, width, offset, stride }): DeviceMatrix {
      const bytes = ((rows - 1) * stride + width) * 4;
      return { span: nowhere(bytes, memory.offsetOf(root) + offset * 4), rows, width, stride };
    },
    weight({ format, experts, rows, columns }) {
      const elements = experts * rows * columns;
      return { format, span: nowhere(deviceBytes(format, elements)), blocks: blockCount(format, elements) };
    },
    state: (slot) => ({ span: nowhere(slot.width * 4), type: cacheTypeOfSlot(slot, cacheTypes) }),
    scratch(bytes) {
      used += Math.ceil(bytes / 256) * 256;
      scratchBytes = Math.max(scratchBytes, used);
      return nowhere(bytes);
    },
    tickets: (count) => nowhere(count * 4),
  };
  for (const node of readied.nodes) {
    used = 0;
    recordNode(node, context);
  }
  return { arenaBytes: memory.bytes, scratchBytes };
}

/** A recorder that tells `onDispatch` about every dispatch and does nothing. */
export function notingRecorder(
  { device }: KernelSet,
  onDispatch: (pipeline: ComputePipeline) => void,
): Recorder {
  const noting: Pick<Recorder, "device" | "dispatch" | "copy" | "fill" | "hostBarrier"> = {
    device,
    dispatch: onDispatch,
    copy() {},
    fill() {},
    hostBarrier() {},
  };
  return noting as Recorder;
}

/** A span of memory that does not exist; `offset` keeps the alignment that the real one would have. */
export function nowhere(bytes: number, offset = 0): Span {
  const buffer = { label: "nowhere", kind: "activations", bytes: offset + bytes, address: 0n };
  return { buffer: buffer as unknown as DeviceBuffer, offset, bytes };
}
