/** Benchmarks a model: loads it once, runs every test on it, and gives each result as soon as there is one. */
import { UserError } from "../../common/errors.ts";
import { type Traffic, trafficOf } from "../../graph/traffic.ts";
import { stateBytes } from "../../graph/vulkan_sequence.ts";
import type { Device } from "../../vulkan/mod.ts";
import { loadModel, type LoadOptions, type Model } from "../load_model.ts";
import { DoesNotFitError } from "../memory_needs.ts";
import { promptChunks } from "../prompt_chunks.ts";
import { measure, type MeasureOptions } from "./measure.ts";
import { modelType } from "./model_type.ts";
import { profileStep } from "./profile.ts";
import { measureReadLimit } from "./read_limit.ts";
import type { BenchDevice, BenchModel, BenchRow } from "./row.ts";
import { type Subject, subjectOf } from "./subject.ts";
import { type BenchTest, positionsOf, testName } from "./test_list.ts";

/** How to benchmark. */
export interface BenchOptions extends MeasureOptions {
  readonly load: Omit<LoadOptions, "contextLength" | "fewerPositions">;
  /** Also take one step apart, for every test. */
  readonly profile: boolean;
}

/** A test's result, or why there is none. */
export type BenchOutcome = { readonly row: BenchRow } | { readonly test: BenchTest; readonly error: unknown };

/** Read limits that were measured already, by device. */
const readLimits = new Map<string, number>();

/**
 * Runs `tests` on the model at `path`, one after the other. A test that fails does not keep the others from running; those that need
 * more positions than there is memory for fail first.
 *
 * @throws UserError when the model cannot be loaded.
 */
export async function* benchModel(
  path: string,
  tests: readonly BenchTest[],
  options: BenchOptions,
): AsyncGenerator<BenchOutcome> {
  const { model: loaded, tests: fitting, tooLong } = await loadFor(tests, path, options.load);
  await using model = loaded;
  yield* tooLong;
  requireDecoder(model);
  const device = model.device && await describeDevice(model.device);
  using engine = model.createEngine();
  const { ubatch } = engine;
  const subject = subjectOf(engine, model.device);
  for (const test of fitting) {
    options.signal?.throwIfAborted();
    try {
      const time = new Date();
      const result = await runTest(model, subject, test, ubatch, options);
      const { cacheTypes } = model;
      yield { row: { model: describeModel(model), device, ubatch, cacheTypes, test, time, ...result } };
    } catch (error) {
      if (options.signal?.aborted || model.device?.lost) throw error;
      yield { test, error };
    }
  }
}

/** Loads the model with room for the longest of `tests` that fits the device's memory; a failure for each that does not. */
async function loadFor(
  tests: readonly BenchTest[],
  path: string,
  options: BenchOptions["load"],
): Promise<{ model: Model; tests: readonly BenchTest[]; tooLong: readonly BenchOutcome[] }> {
  const contextLength = Math.max(...tests.map(positionsOf));
  const fewerPositions = (count: number) => `tests of ${count} positions at most`;
  try {
    const model = await loadModel(path, { ...options, contextLength, fewerPositions });
    return { model, tests, tooLong: [] };
  } catch (error) {
    const shorter = tests.filter((test) => positionsOf(test) < contextLength);
    if (!(error instanceof DoesNotFitError) || shorter.length === 0) throw error;
    const rest = await loadFor(shorter, path, options);
    const longest = tests.filter((test) => !shorter.includes(test)).map((test) => ({ test, error }));
    return { ...rest, tooLong: [...longest, ...rest.tooLong] };
  }
}

/** Encoders read a whole text at once and generate nothing. */
function requireDecoder({ path, open: { family } }: Model): void {
  if (family.kind !== "decoder") {
    throw new UserError(`Cannot benchmark "${path}": it is an ${family.kind}, not a decoder`);
  }
}

async function runTest(
  model: Model,
  subject: Subject,
  test: BenchTest,
  ubatch: number,
  options: BenchOptions,
) {
  if (positionsOf(test) > subject.contextLength) {
    throw new UserError(
      `Cannot run ${testName(test)}: it needs ${
        positionsOf(test)
      } positions, the model has ${subject.contextLength}`,
    );
  }
  const measurement = await measure(subject, test, options);
  const profile = options.profile
    ? await profileStep(subject, test.depth, Math.min(ubatch, Math.max(1, test.prompt)))
    : undefined;
  return { measurement, profile, bytesPerToken: bytesPerToken(model, test, ubatch) };
}

/** Averaged over the steps of the test: batches of a prompt, or tokens one by one at growing positions. */
function bytesPerToken(
  { open, cacheTypes }: Model,
  { prompt, generate, depth }: BenchTest,
  ubatch: number,
): number {
  const slotBytes = (slot: Parameters<typeof stateBytes>[0][number], positions: number) =>
    stateBytes([slot], positions, cacheTypes);
  let bytes = 0;
  const add = ({ weights, state }: Traffic) => bytes += weights + state;
  for (const batch of promptChunks(new Array<number>(prompt).fill(0), depth, ubatch)) {
    add(trafficOf(open.build(batch.tokens.length, 1), batch.position, slotBytes));
  }
  const step = open.build(1, 1);
  for (let i = 0; i < generate; i++) add(trafficOf(step, depth + i, slotBytes));
  return bytes / (prompt + generate);
}

function describeModel({ path, open }: Model): BenchModel {
  let bytes = 0;
  let parameters = 0;
  for (const tensor of open.file.tensors.values()) {
    bytes += tensor.bytes;
    parameters += tensor.elements;
  }
  return { path, type: modelType(open.file.metadata, parameters), bytes, parameters };
}

async function describeDevice(device: Device): Promise<BenchDevice> {
  const { info, adapter } = device;
  let readLimit = readLimits.get(adapter.uuid);
  if (readLimit === undefined) readLimits.set(adapter.uuid, readLimit = await measureReadLimit(device));
  return {
    name: info.name,
    driver: `${info.driverName} ${info.driverInfo}`.trim(),
    subgroupSize: info.subgroupSize,
    cooperativeMatrix: info.coopmat !== null,
    readLimit,
  };
}
