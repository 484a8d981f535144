/**
 * Turns a graph into a recorded command buffer that is replayed for every step of its shape; a graph with very much to compute into
 * several, so that they can be submitted one after the other.
 *
 * Each node records its dispatches through its operation; the recorder inserts a barrier only where a dispatch touches bytes that
 * an earlier one wrote or still reads. Nothing that changes from step to step is recorded: kernels read it from the step buffer.
 */
import type {
  DeviceMatrix,
  DeviceState,
  DeviceWeight,
  GpuContext,
  StateSlot,
  Value,
  Weight,
} from "../kernels/operation.ts";
import type { KernelSet } from "../kernels/kernel_set.ts";
import { recordNode } from "../kernels/registry.ts";
import { type Device, type DeviceBuffer, type LabelTime, Recorder, type Span, span } from "../vulkan/mod.ts";
import type { Graph } from "./builder.ts";
import { type MemoryPlan, planMemory } from "./memory_plan.ts";
import { inStages } from "./stages.ts";
import type { PlanPiece } from "./piece_runner.ts";
import { cutByWork } from "./work.ts";

const ELEMENT_BYTES = 4;
/** NaN as float32. */
const NAN_BITS = 0x7fc00000;
/** Room for the tickets of all nodes of a plan; a plan with more uses them again, one node after the other. */
export const TICKETS_BYTES = 256 * 1024;

/** What plans of one sequence share. */
export interface PlanResources {
  readonly device: Device;
  readonly kernels: KernelSet;
  readonly step: Span;
  weight(weight: Weight): DeviceWeight;
  state(slot: StateSlot): DeviceState;
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
  /** Multiplications and additions that one command buffer carries at most, unless a single node has more; by default all of them. */
  readonly pieceWork?: number;
  /** Records what follows the graph: a sampler, or a copy of the result. */
  readonly tail?: (gpu: GpuContext, result: DeviceMatrix) => void;
  readonly signal?: AbortSignal;
}

/** A recorded forward pass. */
export interface Plan extends Disposable {
  /** To be run in this order. */
  readonly pieces: readonly PlanPiece[];
  readonly dispatches: number;
  readonly barriers: number;
  /** Elements per row of the graph's result. */
  readonly resultWidth: number;
  /** Device time of each dispatch in the latest run, in order; wait for that run first. Empty unless profiled. */
  times(): LabelTime[];
}

/**
 * Records a graph, in stages where these pay, and compiles the kernels that it needs.
 *
 * @throws the reason of `signal` when it is aborted before all are compiled.
 */
export async function recordPlan(
  built: Graph,
  resources: PlanResources,
  options: PlanOptions,
): Promise<Plan> {
  const graph = inStages(built);
  const { label, profile, contextBucket, pieceWork = Infinity, tail, signal } = options;
  const cuts = cutByWork(graph.nodes, contextBucket, pieceWork);
  const contextFor = gpuContexts(planMemory(graph), resources, contextBucket);
  using made = new DisposableStack();
  const recorders = cuts.map(({ nodes }, i) => {
    const recorder = made.use(new Recorder(resources.device, { label, profile }));
    const gpu = contextFor(recorder);
    for (const node of nodes) recordNode(node, gpu.next());
    if (i === cuts.length - 1) recordEnd(gpu.next(), graph, tail);
    return recorder;
  });
  await resources.device.compile(recorders.flatMap(({ pipelines }) => [...pipelines]), signal);
  const pieces = recorders.map((recorder, i): PlanPiece => ({
    commandBuffer: made.use(recorder.finish()),
    work: cuts[i].work,
  }));
  const owned = made.move();
  return {
    pieces,
    dispatches: recorders.reduce((sum, { stats }) => sum + stats.dispatches, 0),
    barriers: recorders.reduce((sum, { stats }) => sum + stats.barriers, 0),
    resultWidth: graph.result.width,
    times: () => pieces.flatMap(({ commandBuffer }) => commandBuffer.times()),
    [Symbol.dispose]: () => owned.dispose(),
  };
}

function recordEnd(gpu: GpuContext, graph: Graph, tail: PlanOptions["tail"]): void {
  const result = gpu.matrix(graph.result);
  // A fault that tests script: what a damaged file or a wrong driver makes of a model's results.
  if (Deno.env.get("ZINC_FAULT_NAN_LOGITS") === "1") gpu.recorder.fill(lastRowStart(result), NAN_BITS);
  tail?.(gpu, result);
}

/** Makes the context of each command buffer of a plan; they share memory. */
function gpuContexts(memory: MemoryPlan, resources: PlanResources, contextBucket: number) {
  const arena = resources.arena(memory.bytes);
  let scratchUsed = 0;
  let ticketsUsed = 0;
  const shared: Omit<GpuContext, "recorder"> = {
    kernels: resources.kernels,
    step: resources.step,
    contextBucket,
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
  return (recorder: Recorder) => {
    const context: GpuContext = { ...shared, recorder };
    return {
      /** The context for the next node; scratch memory of the node before is free again. */
      next(): GpuContext {
        scratchUsed = 0;
        return context;
      },
    };
  };
}

function lastRowStart({ span: { buffer, offset }, rows, stride }: DeviceMatrix): Span {
  return span(buffer, offset + (rows - 1) * stride * ELEMENT_BYTES, ELEMENT_BYTES);
}

function matrixOf(value: Value, arena: DeviceBuffer, memory: MemoryPlan): DeviceMatrix {
  const { rows, width, stride } = value;
  const start = memory.offsetOf(value) + value.offset * ELEMENT_BYTES;
  const bytes = ((rows - 1) * stride + width) * ELEMENT_BYTES;
  return { span: span(arena, start, bytes), rows, width, stride };
}
