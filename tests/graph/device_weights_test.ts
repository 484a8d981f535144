import { truncateSync } from "node:fs";
import { type Constant, DeviceWeights } from "../../src/graph/device_weights.ts";
import { openGguf, writeGguf } from "../../src/gguf/mod.ts";
import type { Weight } from "../../src/kernels/operation.ts";
import { encodeTensor, type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { deviceBytes } from "../../src/quant/planes.ts";
import type { Device } from "../../src/vulkan/mod.ts";
import { elementsOf, joinPlanes, sampleBlocks } from "../quant/sample_blocks.ts";
import { assertEquals, assertFails } from "../support/assert.ts";
import { TempDirectory } from "../support/temp.ts";
import { withDevice, withEnv } from "../vulkan/support.ts";

interface Sample extends Weight {
  readonly blocks: number;
}

function sample(format: FormatName, blocks: number): Sample {
  const columns = elementsOf(format, blocks);
  return { name: `${format}.${blocks}`, format, experts: 1, rows: 1, columns, blocks };
}

function writeSamples(path: string, samples: Sample[]): void {
  writeGguf(path, {
    metadata: [["general.architecture", "string", "llama"]],
    tensors: samples.map(({ name, format, columns, blocks }) => ({
      name,
      format,
      dims: [columns],
      data: sampleBlocks(format, blocks),
    })),
  });
}

async function assertUploaded(device: Device, loaded: DeviceWeights, samples: Sample[]): Promise<void> {
  for (const weight of samples) {
    const { format, blocks, name, columns } = weight;
    const { span } = loaded.get(weight);
    assertEquals(span.bytes, deviceBytes(format, columns));
    const bytes = await device.readback(span);
    const joined = joinPlanes(format, bytes, blocks);
    const expected = sampleBlocks(format, blocks);
    assertEquals(joined.findIndex((byte, i) => byte !== expected[i]), -1, name);
    const { table } = FORMATS[format];
    if (table) assertEquals(bytes.subarray(bytes.length - table.length), table, name);
  }
}

for (const mapDeviceMemory of [false, true]) {
  const where = mapDeviceMemory ? "mapped memory" : "memory that is not mapped";

  Deno.test(`upload() brings every format into ${where}, next to other tensors`, () =>
    withDevice(async (device) => {
      using folder = new TempDirectory();
      const path = folder.join("all.gguf");
      // Odd numbers of blocks, so that planes of 1 or 2 bytes a block do not end at a multiple of 16.
      const samples = (Object.keys(FORMATS) as FormatName[]).flatMap((name) =>
        [1, 37].map((n) => sample(name, n))
      );
      writeSamples(path, samples);
      using file = openGguf(path);
      using loaded = await DeviceWeights.upload(device, file, samples, []);
      if (!mapDeviceMemory) assertEquals(device.submitted, 1);
      await assertUploaded(device, loaded, samples);
    }, { mapDeviceMemory }));

  Deno.test(`upload() brings tensors larger than a piece and than all staging buffers into ${where}`, () =>
    withDevice(async (device) => {
      using folder = new TempDirectory();
      const path = folder.join("large.gguf");
      const samples = [
        sample("f16", (9 << 20) + 1),
        sample("q8_0", 900_001),
        sample("q6_k", 12_345),
        sample("iq2_xxs", 40_003),
        sample("mxfp4", 123_457),
      ];
      writeSamples(path, samples);
      using file = openGguf(path);
      const progress: [number, number][] = [];
      using loaded = await DeviceWeights.upload(device, file, samples, [], (...step) => progress.push(step));
      await assertUploaded(device, loaded, samples);
      const total = samples.reduce((sum, { name }) => sum + file.tensors.get(name)!.bytes, 0);
      assertEquals(progress.at(-1), [total, total]);
    }, { mapDeviceMemory }));

  Deno.test(`upload() makes float32 of a float16 vector, beside a constant, in ${where}`, () =>
    withDevice(async (device) => {
      using folder = new TempDirectory();
      const path = folder.join("vector.gguf");
      const values = Float32Array.of(1, -2.5, 0.125, 65504, 3);
      writeGguf(path, {
        metadata: [["general.architecture", "string", "llama"]],
        tensors: [{ name: "norm", format: "f16", dims: [5], data: encodeTensor("f16", values) }],
      });
      const vector = { format: "f32", experts: 1, rows: 1, columns: 5 } as const;
      const norm: Weight = { ...vector, name: "norm" };
      const constant: Constant = { ...vector, name: "scale", data: Float32Array.of(9, 8, 7, 6, 5) };
      using file = openGguf(path);
      using loaded = await DeviceWeights.upload(device, file, [norm], [constant]);
      for (const [weight, expected] of [[norm, values], [constant, constant.data]] as const) {
        const bytes = await device.readback(loaded.get(weight).span);
        assertEquals(new Float32Array(bytes.buffer, 0, 5), expected);
      }
    }, { mapDeviceMemory }));

  Deno.test(`upload() leaves nothing behind in ${where} when the file ends in the middle of it`, () =>
    withDevice(async (device) => {
      using folder = new TempDirectory();
      const path = folder.join("cut.gguf");
      for (const format of ["q4_0", "f16"] as const) {
        const samples = [sample("q4_0", 33), sample(format, (10 << 20) / FORMATS[format].blockBytes | 0)];
        writeSamples(path, samples);
        using file = openGguf(path);
        truncateSync(path, 9 << 20);
        const error = await assertFails(
          () => DeviceWeights.upload(device, file, samples, []),
          `it ended inside tensor "${samples[1].name}"`,
        );
        assertEquals(error.name, "UserError");
      }
    }, { mapDeviceMemory }));

  Deno.test(`upload() leaves nothing behind in ${where} when the device has no room for all weights`, () =>
    withEnv({ ZINC_VK_MAX_ALLOC: "4MiB", ZINC_VK_MEMORY_LIMIT: "16MiB" }, () =>
      withDevice(async (device) => {
        using folder = new TempDirectory();
        const path = folder.join("big.gguf");
        const samples = [0, 1, 2, 3, 4, 5].map((i) => sample("q4_0", 170_000 + i));
        writeSamples(path, samples);
        using file = openGguf(path);
        const error = await assertFails(
          () => DeviceWeights.upload(device, file, samples, []),
          "Cannot allocate 2.9 MiB for q4_0.17000",
        );
        assertEquals(error.name, "OutOfMemoryError");
      }, { mapDeviceMemory })));
}
