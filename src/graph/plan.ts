/**
 * Turns a graph into a recorded command buffer that is replayed for every step of its shape.
 *
 * Each node records its dispatches through its operation; the recorder inserts a barrier only where a dispatch touches bytes that
 * an earlier one wrote or still reads. Nothing that changes from step to step is recorded: kernels read it from the step buffer.
 */
import type {
  DeviceMatrix,
  DeviceWeight,
  GpuContext,
  StateSlot,
  Value,
  Weight,
} from "../kernels/operation.ts";
import type { KernelSet } from "../kernels/kernel_set.ts";
import { recordNode } from "../kernels/registry.ts";
import {
  type CommandBuffer,
  type Device,
  type DeviceBuffer,
  Recorder,
  type Span,
  span,
} from "../vulkan/mod.ts";
import type { Graph } from "./builder.ts";
import { type MemoryPlan, planMemory } from "./memory_plan.ts";

const ELEMENT_BYTES = 4;
/** Room for the tickets of all nodes of a plan; a plan with more uses them again, one node after the other. */
export const TICKETS_BYTES = 256 * 1024;

/** What plans of one sequence share. */
export interface PlanResources {
  readonly device: Device;
  readonly kernels: KernelSet;
  readonly step: Span;
  weight(weight: Weight): DeviceWeight;
  state(slot: StateSlot): { readonly span: Span; readonly elementBytes: number };
  /** A buffer of at least `bytes` for activations; a larger one may replace it later, plans keep what they use alive. */
  arena(bytes: number): DeviceBuffer;
  /** The same for scratch memory inside an operation. */
  scratch(bytes: number): DeviceBuffer;
  /** Zeroed memory, {@linkcode TICKETS_BYTES} long. */
  readonly tickets: Span;
}

/** What to record. */
export interface PlanOptions {
  readonly label: string;
  /** Cached positions that the plan must serve, its own tokens included. */
  readonly contextBucket: number;
  /** Time every dispatch. */
  readonly profile?: boolean;
  /** Records what follows the graph: a sampler, or a copy of the result. */
  readonly tail?: (gpu: GpuContext, result: DeviceMatrix) => void;
}

/** A recorded forward pass. */
export interface Plan extends Disposable {
  readonly commandBuffer: CommandBuffer;
  readonly dispatches: number;
  readonly barriers: number;
  /** Elements per row of the graph's result. */
  readonly resultWidth: number;
}

/** Records `graph`. */
export function recordPlan(graph: Graph, resources: PlanResources, options: PlanOptions): Plan {
  const memory = planMemory(graph);
  const recorder = new Recorder(resources.device, { label: options.label, profile: options.profile });
  const gpu = gpuContext(recorder, memory, resources, options);
  for (const node of graph.nodes) recordNode(node, gpu.next());
  options.tail?.(gpu.next(), gpu.context.matrix(graph.result));
  const { dispatches, barriers } = recorder.stats;
  const commandBuffer = recorder.finish();
  return {
    commandBuffer,
    dispatches,
    barriers,
    resultWidth: graph.result.width,
    [Symbol.dispose]: () => commandBuffer[Symbol.dispose](),
  };
}

function gpuContext(recorder: Recorder, memory: MemoryPlan, resources: PlanResources, options: PlanOptions) {
  const arena = resources.arena(memory.bytes);
  let scratchUsed = 0;
  let ticketsUsed = 0;
  const context: GpuContext = {
    kernels: resources.kernels,
    recorder,
    step: resources.step,
    contextBucket: options.contextBucket,
    matrix: (value) => matrixOf(value, arena, memory),
    weight: (weight) => resources.weight(weight),
    state: (slot) => resources.state(slot),
    scratch(bytes) {
      const start = scratchUsed;
      scratchUsed = Math.ceil((start + bytes) / 256) * 256;
      return span(resources.scratch(scratchUsed), start, bytes);
    },
    tickets(count) {
      const bytes = 4 * count;
      if (ticketsUsed + bytes > TICKETS_BYTES) ticketsUsed = 0;
      const { buffer, offset } = resources.tickets;
      ticketsUsed += bytes;
      return span(buffer, offset + ticketsUsed - bytes, bytes);
    },
  };
  return {
    context,
    /** The context for the next node; scratch memory of the node before is free again. */
    next(): GpuContext {
      scratchUsed = 0;
      return context;
    },
  };
}

function matrixOf(value: Value, arena: DeviceBuffer, memory: MemoryPlan): DeviceMatrix {
  const { rows, width, stride } = value;
  const start = memory.offsetOf(value) + value.offset * ELEMENT_BYTES;
  const bytes = ((rows - 1) * stride + width) * ELEMENT_BYTES;
  return { span: span(arena, start, bytes), rows, width, stride };
}
