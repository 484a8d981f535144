/**
 * Does this device compute right? Runs every known-answer case on both executors and compares.
 *
 * Drivers have bugs that give wrong numbers without an error; what they break is a kernel, and a kernel is what a case names.
 */
import { UserError } from "../../common/errors.ts";
import { DeviceWeights } from "../../graph/device_weights.ts";
import { type Graph, GraphBuilder } from "../../graph/builder.ts";
import { HostWeights } from "../../graph/host_weights.ts";
import { ReferenceState, runReferenceGraph } from "../../graph/reference_executor.ts";
import { type PlanTail, VulkanSequence } from "../../graph/vulkan_sequence.ts";
import { type GgufFile, openGguf } from "../../gguf/mod.ts";
import { KernelSet } from "../../kernels/kernel_set.ts";
import type { Batch } from "../../kernels/operation.ts";
import { StateTable, TensorTable } from "../../models/model_builder.ts";
import { type Device, DeviceLostError, span } from "../../vulkan/mod.ts";
import { DeviceSampler } from "../device_sampler.ts";
import { resolveSampling } from "../sampling/mod.ts";
import { BATCHES, KNOWN_ANSWER_CASES, type KnownAnswerCase } from "./cases.ts";
import { MATRIX_UNIT_CASES, MATRIX_UNIT_TOLERANCE } from "./matrix_units.ts";
import { relativeError } from "./relative_error.ts";
import { INPUT, TOKENS, WIDTH, writeTestWeights } from "./weights.ts";

/** What became of one case. */
export interface CaseResult {
  readonly name: string;
  /** Largest error as a share of the largest expected element; NaN when a result is not a number. */
  readonly error: number;
  readonly tolerance: number;
  /** Whether the error is within the tolerance. */
  readonly ok: boolean;
  /** Why there is no result at all. */
  readonly problem?: string;
}

const CONTEXT = 64;
const UBATCH = 48;
const F32_BYTES = 4;

/** Runs all cases on `device` and yields each result as it is known. */
export async function* selfTest(device: Device): AsyncGenerator<CaseResult> {
  using file = openTestWeights();
  const kernels = new KernelSet(device);
  for (const testCase of KNOWN_ANSWER_CASES) {
    yield await orProblem(testCase.name, () => runCase(testCase, { device, kernels, file }));
  }
  yield await orProblem("sampler", () => runSampler(device, kernels, file));
  if (!kernels.coopmat) return;
  for (const { name, errorOn } of MATRIX_UNIT_CASES) {
    yield await orProblem(name, async () => judge(name, await errorOn(device), MATRIX_UNIT_TOLERANCE));
  }
}

/** The test weights in a file without a name: however this process ends, nothing of it is left behind. */
function openTestWeights(): GgufFile {
  const path = makeTemporaryFile();
  try {
    writeTestWeights(path);
    return openGguf(path);
  } finally {
    Deno.removeSync(path);
  }
}

function makeTemporaryFile(): string {
  try {
    return Deno.makeTempFileSync({ prefix: "zinc-self-test-", suffix: ".gguf" });
  } catch (cause) {
    throw new UserError(
      `Cannot write the weights of the known answers: ${(cause as Error).message}; ` +
        "set TMPDIR to a folder that can be written",
      { cause },
    );
  }
}

/** A driver that refuses one kernel may run the others; a device that is lost runs nothing. */
async function orProblem(name: string, run: () => Promise<CaseResult>): Promise<CaseResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof DeviceLostError) throw error;
    return { name, error: NaN, tolerance: 0, ok: false, problem: error.message };
  }
}

/** `result.ok` for an error and what is allowed; NaN is never allowed. */
export function judge(name: string, error: number, tolerance: number): CaseResult {
  return { name, error, tolerance, ok: error <= tolerance };
}

interface Rig {
  readonly device: Device;
  readonly kernels: KernelSet;
  readonly file: GgufFile;
}

async function runCase(
  { name, tolerance, cacheTypes, build: buildCase }: KnownAnswerCase,
  rig: Rig,
): Promise<CaseResult> {
  const tensors = new TensorTable(rig.file);
  const states = new StateTable();
  const build = (tokens: number, outputs: number): Graph => {
    const graph = new GraphBuilder(tokens, outputs);
    const x = graph.embed(tensors.matrix(INPUT, TOKENS, WIDTH));
    return graph.finish(buildCase({ graph, tensors, states, x }));
  };
  build(1, 1); // declares weights and states
  const host = new HostWeights(rig.file, tensors.constants.values());
  const hostState = new ReferenceState(CONTEXT, cacheTypes);
  using weights = await DeviceWeights.upload(
    rig.device,
    rig.file,
    tensors.weights.values(),
    tensors.constants.values(),
  );
  using sequence = new VulkanSequence({
    ...rig,
    weights,
    slots: states.slots,
    contextLength: CONTEXT,
    ubatch: UBATCH,
    cacheTypes,
    build,
  });
  let error = 0;
  for (const batch of batches()) {
    const rows = batch.tokens.length;
    const expected = runReferenceGraph(build(rows, rows), batch, host, hostState);
    const actual = await runOnDevice(rig.device, sequence, batch);
    error = Math.max(error, relativeError(actual, expected)); // NaN stays
  }
  return judge(name, error, tolerance);
}

function* batches(): Generator<Batch> {
  let position = 0;
  for (const tokens of BATCHES) {
    yield { tokens: Int32Array.from(tokens), position };
    position += tokens.length;
  }
}

async function runOnDevice(device: Device, sequence: VulkanSequence, batch: Batch): Promise<Float32Array> {
  using readback = device.createBuffer({
    bytes: UBATCH * 2 * WIDTH * F32_BYTES,
    kind: "readback",
    label: "self-test",
  });
  let bytes = 0;
  const tail: PlanTail = {
    name: "self-test",
    record: ({ recorder }, { span: result, rows, width, stride }) => {
      // Rows of a view are apart; each is copied by itself.
      for (let row = 0; row < rows; row++) {
        const from = span(result.buffer, result.offset + row * stride * F32_BYTES, width * F32_BYTES);
        recorder.copy(from, span(readback, row * width * F32_BYTES, width * F32_BYTES));
      }
      recorder.hostBarrier();
      bytes = rows * width * F32_BYTES;
    },
  };
  const rows = batch.tokens.length;
  const plan = await sequence.plan(rows, rows, sequence.bucketFor(batch.position + rows), tail);
  await device.wait(await sequence.submitBatch(batch, plan));
  return new Float32Array(readback.mapped!.slice(0, bytes).buffer);
}

/** The device picks the likeliest token of a row of logits; so does the reference. */
async function runSampler(device: Device, kernels: KernelSet, file: GgufFile): Promise<CaseResult> {
  const tensors = new TensorTable(file);
  const build = (tokens: number, outputs: number): Graph => {
    const graph = new GraphBuilder(tokens, outputs);
    return graph.finish(graph.embed(tensors.matrix(INPUT, TOKENS, WIDTH)));
  };
  build(1, 1);
  const host = new HostWeights(file, []);
  using weights = await DeviceWeights.upload(device, file, tensors.weights.values(), []);
  using sequence = new VulkanSequence({
    device,
    kernels,
    weights,
    slots: [],
    contextLength: CONTEXT,
    ubatch: UBATCH,
    build,
  });
  using sampler = new DeviceSampler(device, kernels, WIDTH);
  const batch: Batch = { tokens: Int32Array.of(7), position: 0 };
  const logits = runReferenceGraph(build(1, 1), batch, host, new ReferenceState(CONTEXT));
  const tail = sampler.begin(resolveSampling({ temperature: 0, seed: 0 }), [], []);
  const plan = await sequence.plan(1, 1, sequence.bucketFor(1), tail);
  await device.wait(await sequence.submitBatch(batch, plan));
  return judge("sampler", sampler.token(0) === logits.indexOf(Math.max(...logits)) ? 0 : 1, 0);
}
