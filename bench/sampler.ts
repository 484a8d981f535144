/**
 * What choosing a token costs on the device, for the options that take different kernels.
 *
 *   deno run -A bench/sampler.ts --vocabulary 262144
 *
 * Samplings in one command buffer, each of which waits for the one before, as generation records them: the time is that of
 * the kernels, of their starts, and of all barriers, the one in front of the first kernel and the one for the host included.
 * Logits are normally distributed with a standard deviation of 3, and lie in the caches as far as they fit.
 */
import { parseArgs } from "node:util";
import { table } from "../src/cli/table.ts";
import { assert } from "../src/common/assert.ts";
import { usageError } from "../src/common/errors.ts";
import { DeviceSampler } from "../src/inference/device_sampler.ts";
import { resolveSampling, type SamplingOptions } from "../src/inference/sampling/mod.ts";
import { KernelSet } from "../src/kernels/kernel_set.ts";
import type { DeviceMatrix, GpuContext } from "../src/kernels/operation.ts";
import { samplerKind, VOCABULARY_MAX } from "../src/kernels/sample.ts";
import { readStep, stepBytes, writeStep } from "../src/kernels/step_buffer.ts";
import {
  chooseAdapter,
  Device,
  type DeviceBuffer,
  Instance,
  Recorder,
  span,
  Uploader,
} from "../src/vulkan/mod.ts";
import { runTool, wholeNumber } from "../tools/run_tool.ts";
import { Random } from "../tools/synth/random.ts";
import { median, timeRounds } from "./rounds.ts";

const USAGE = `usage: sampler.ts [--vocabulary N] [--device D] [--json]
  --vocabulary  tokens to choose from (default: 262144)
  --device      number or part of the name of the device
  --json        every sample, µs of one sampling`;

/** Samplings in a command buffer. */
const SAMPLINGS = 50;
const DEVIATION = 3;

const PLAIN = { topK: 0, topP: 1, minP: 0 };
const EVERY_FILTER = { topK: 500, topP: 0.95, minP: 0.05 };
/**
 * Penalties are subtracted from the logits in place, and these logits are sampled from many thousand times. One that float32 rounds
 * away costs as much as any, and the tokens stay as likely as they were.
 */
const PENALTIES = { presencePenalty: 1e-30, repeatLastN: 64 };

const CASES: [name: string, options: Partial<SamplingOptions>][] = [
  ["temperature 0", { temperature: 0 }],
  ["top-k 40 (the defaults)", {}],
  ["temperature alone", PLAIN],
  ["min-p 0.05", { ...PLAIN, minP: 0.05 }],
  ["top-p 0.95", { ...PLAIN, topP: 0.95 }],
  ["top-k 500, top-p 0.95, min-p 0.05", EVERY_FILTER],
  ["the same, penalties over 64 tokens", { ...EVERY_FILTER, ...PENALTIES }],
];

async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      vocabulary: { type: "string", default: "262144" },
      device: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const vocabulary = wholeNumber("--vocabulary", values.vocabulary, 1);
  if (vocabulary > VOCABULARY_MAX) {
    throw usageError(`Expected at most ${VOCABULARY_MAX} tokens for --vocabulary, found ${vocabulary}`);
  }
  using instance = Instance.create();
  await using device = Device.create(chooseAdapter(instance.adapters(), values.device));
  using logits = device.createBuffer({ label: "logits", bytes: vocabulary * 4, kind: "activations" });
  const random = new Random(1, "logits");
  await upload(device, logits, Float32Array.from({ length: vocabulary }, () => DEVIATION * random.normal()));
  const rows: string[][] = [];
  for (const [name, given] of CASES) {
    const options = resolveSampling({ seed: 1, ...given });
    const samples = await timeSampling(device, logits, vocabulary, options);
    const kernels = samplerKind(options);
    if (values.json) console.log(JSON.stringify({ name, kernels, vocabulary, samples_us: samples }));
    rows.push([name, kernels, median(samples).toFixed(1)]);
  }
  if (!values.json) {
    console.log(`${device.info.name}, ${vocabulary} tokens\n`);
    console.log(await table(["OPTIONS", "KERNELS", "µs"], rows));
  }
}

/** Samples of the time that choosing one token takes, µs. */
async function timeSampling(
  device: Device,
  logits: DeviceBuffer,
  vocabulary: number,
  options: SamplingOptions,
): Promise<number[]> {
  using step = device.createBuffer({ label: "step", bytes: stepBytes(1), kind: "activations" });
  const header = new DataView(new ArrayBuffer(stepBytes(1)));
  writeStep(header, 0, [0]);
  await upload(device, step, new Uint8Array(header.buffer));
  using sampler = new DeviceSampler(device, new KernelSet(device), vocabulary);
  const history = Array.from({ length: options.repeatLastN }, (_, i) => i * 4099 % vocabulary);
  // No end-of-generation tokens: behind one, a step would do nothing.
  const tail = sampler.begin(options, history, []);
  using recorder = new Recorder(device, { label: tail.name });
  const gpu: Pick<GpuContext, "recorder" | "step"> = { recorder, step: span(step) };
  const result: DeviceMatrix = { span: span(logits), rows: 1, width: vocabulary, stride: vocabulary };
  for (let i = 0; i < SAMPLINGS; i++) tail.record(gpu as GpuContext, result);
  using commands = recorder.finish();
  const { samples, runs } = await timeRounds(device, commands);

  const count = runs * SAMPLINGS;
  const { position, stopped } = readStep(new DataView((await device.readback(span(step))).buffer));
  assert(position === count && stopped === 0, `${position} of ${count} steps sampled`);
  const token = sampler.token(count - 1);
  assert(token < vocabulary, `token ${token} of ${vocabulary}`);
  return samples.map((us) => us / SAMPLINGS);
}

async function upload(device: Device, target: DeviceBuffer, data: Float32Array | Uint8Array): Promise<void> {
  using uploader = new Uploader(device);
  await uploader.write(span(target), new Uint8Array(data.buffer));
}

if (import.meta.main) await runTool(run, USAGE);
