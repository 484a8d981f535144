/** The GLSL includes against the plain decoders, through the planes that kernels read. */
import { struct } from "../../ffi/layout.ts";
import { u32, u64 } from "../../ffi/types.ts";
import { decodeTensor, type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { deviceBytes, splitPlanes } from "../../src/quant/planes.ts";
import { type Device, Recorder, span, Uploader } from "../../src/vulkan/mod.ts";
import { ShaderCompiler } from "../../tools/shader_compiler.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { withDevice } from "../vulkan/support.ts";
import { deviceFormats, goldenTensors } from "./golden.ts";
import { compileDecode, compiledPath } from "./shaders/build.ts";

const PUSH = struct("Decode", { weights: u64, values: u64, blocks: u32, elements: u32, single: u32 });

const GOLDEN = new Map(goldenTensors().map((tensor) => [tensor.format, tensor]));

/** Blocks to decode: the golden ones but the last, so that planes do not end at multiples of 16 bytes by chance. */
function sampleBlocks(format: FormatName): Uint8Array {
  const { blockBytes } = FORMATS[format];
  const bytes = GOLDEN.get(format)?.bytes ??
    new Uint8Array(Float32Array.from({ length: 64 }, (_, i) => Math.sin(i)).buffer);
  return bytes.subarray(
    0,
    bytes.length - (blockBytes < 16 ? 4 * blockBytes * FORMATS[format].chunk : blockBytes),
  );
}

async function decodeOnDevice(
  device: Device,
  format: FormatName,
  blocks: Uint8Array,
  single: boolean,
): Promise<Float32Array> {
  const { blockBytes, blockLength } = FORMATS[format];
  const count = blocks.length / blockBytes;
  const elements = count * blockLength;
  const planes = new Uint8Array(deviceBytes(format, elements));
  splitPlanes(format, blocks, 0, count, count, planes);
  using weights = device.createBuffer({ bytes: planes.length, kind: "weights", label: "weights" });
  using values = device.createBuffer({ bytes: elements * 4, kind: "activations", label: "values" });
  using uploader = new Uploader(device);
  await uploader.write(span(weights), planes);
  const pipeline = device.pipeline({
    name: `decode.${format}`,
    spirv: Deno.readFileSync(compiledPath(format)),
    push: PUSH,
  });
  using recorder = new Recorder(device);
  recorder.dispatch(pipeline, {
    workgroups: [Math.ceil(elements / 32), 1, 1],
    push: { weights: span(weights), values: span(values), blocks: count, elements, single: single ? 1 : 0 },
    reads: [],
    writes: [span(values)],
  });
  using commands = recorder.finish();
  await device.wait(device.submit([commands]));
  return new Float32Array((await device.readback(span(values))).buffer);
}

/** Equal as numbers: the sign of a zero may differ. */
function assertSameValues(actual: Float32Array, expected: Float32Array): void {
  assertEquals(actual.length, expected.length);
  for (let i = 0; i < actual.length; i++) {
    assert(actual[i] === expected[i], `weight ${i}: ${actual[i]}, expected ${expected[i]}`);
  }
}

for (const format of deviceFormats()) {
  Deno.test(`formats/${format}.glsl decodes chunks and single weights as the plain decoder does`, async () => {
    const blocks = sampleBlocks(format);
    const elements = (blocks.length / FORMATS[format].blockBytes) * FORMATS[format].blockLength;
    const expected = decodeTensor(format, blocks, elements);
    await withDevice(async (device) => {
      assertSameValues(await decodeOnDevice(device, format, blocks, false), expected);
      assertSameValues(await decodeOnDevice(device, format, blocks, true), expected);
    });
  });
}

Deno.test("formats/mxfp4.glsl scales by every power of two from 2^-124 to 2^113", async () => {
  // Smaller weights would be subnormal, and devices may flush them.
  const first = 3;
  const last = 240;
  const blocks = new Uint8Array((last - first + 1) * 17);
  for (let e = first; e <= last; e++) {
    const at = (e - first) * 17;
    blocks[at] = e;
    for (let i = 0; i < 16; i++) blocks[at + 1 + i] = i | ((15 - i) << 4);
  }
  const expected = decodeTensor("mxfp4", blocks, (blocks.length / 17) * 32);
  await withDevice(async (device) => {
    assertSameValues(await decodeOnDevice(device, "mxfp4", blocks, false), expected);
  });
});

const compiler = await ShaderCompiler.find();

Deno.test(
  "the committed decode shaders are those of their sources (needs glslang 13.1.1)",
  { ignore: compiler === undefined },
  async () => {
    for (const format of deviceFormats()) {
      assertEquals(await compileDecode(compiler!, format), Deno.readFileSync(compiledPath(format)), format);
    }
  },
);
