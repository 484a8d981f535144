import { unwrapCache, wrapCache } from "../../src/vulkan/pipeline_cache.ts";
import { Recorder, span } from "../../src/vulkan/mod.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { floats, readFloats, scaleAdd, withDevice, withEnv } from "./support.ts";

const DEVICE = { vendorId: 0x1002, deviceId: 0x7550, pipelineCacheUuid: "000102030405060708090a0b0c0d0e0f" };

/** A cache as a driver of DEVICE would write it: VkPipelineCacheHeaderVersionOne, then `bytes` bytes. */
function driverData(bytes = 100): Uint8Array {
  const data = new Uint8Array(32 + bytes).map((_, i) => i * 31);
  const view = new DataView(data.buffer);
  [32, 1, DEVICE.vendorId, DEVICE.deviceId].forEach((value, i) => view.setUint32(i * 4, value, true));
  for (let i = 0; i < 16; i++) data[16 + i] = i;
  return data;
}

Deno.test("unwrapCache() gives back what wrapCache() stored", () => {
  assertEquals(unwrapCache(wrapCache(driverData()), DEVICE), driverData());
});

Deno.test("unwrapCache() refuses another device's, another driver's and a foreign file", () => {
  const file = wrapCache(driverData());
  assertEquals(unwrapCache(file, { ...DEVICE, vendorId: 0x10de }), null);
  assertEquals(unwrapCache(file, { ...DEVICE, deviceId: 1 }), null);
  assertEquals(unwrapCache(file, { ...DEVICE, pipelineCacheUuid: "f".repeat(32) }), null);
  assertEquals(unwrapCache(driverData(), DEVICE), null);
  assertEquals(unwrapCache(new Uint8Array(0), DEVICE), null);
});

Deno.test("unwrapCache() refuses a file that was cut short at any byte", () => {
  const file = wrapCache(driverData());
  for (let length = 0; length < file.length; length++) {
    assertEquals(unwrapCache(file.subarray(0, length), DEVICE), null, `${length} bytes`);
  }
});

Deno.test("unwrapCache() refuses a file with any one byte changed", () => {
  const file = wrapCache(driverData());
  for (let i = 0; i < file.length; i++) {
    file[i] ^= 0x40;
    assertEquals(unwrapCache(file, DEVICE), null, `byte ${i}`);
    file[i] ^= 0x40;
  }
});

/** Whether a kernel computes what it should with `cache` as the cache folder. */
function computes(cache: string, more: Record<string, string> = {}): Promise<void> {
  return withEnv({ XDG_CACHE_HOME: cache, ...more }, () =>
    withDevice(async (device) => {
      using x = await floats(device, [1]);
      using recorder = new Recorder(device);
      recorder.dispatch(scaleAdd(device, 2), {
        workgroups: [1, 1, 1],
        push: { x: span(x), y: span(x), count: 1, factor: 3 },
        reads: [span(x)],
        writes: [span(x)],
      });
      using commands = recorder.finish();
      device.submit([commands]);
      assertEquals(await readFloats(device, span(x)), [6]);
    }));
}

/** Names of the files below the cache folder. */
function cacheFiles(cache: string): string[] {
  return [...Deno.readDirSync(`${cache}/zinc/pipelines`)].map((entry) => entry.name);
}

function withFolder(body: (folder: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const folder = Deno.makeTempDirSync({ prefix: "zinc-cache-" });
    try {
      await body(folder);
    } finally {
      Deno.chmodSync(folder, 0o700);
      Deno.removeSync(folder, { recursive: true });
    }
  };
}

Deno.test(
  "the pipeline cache is saved under a name of its own, with nothing left beside it",
  withFolder(async (folder) => {
    await computes(folder);
    const files = cacheFiles(folder);
    assertEquals(files.length, 1);
    assert(/^[0-9a-f]{32}-[0-9a-f]+\.bin$/.test(files[0]), files[0]);
    await computes(folder);
    assertEquals(cacheFiles(folder), files);
  }),
);

Deno.test(
  "random bytes, an empty file or a folder in place of the pipeline cache do no harm",
  withFolder(async (folder) => {
    await computes(folder);
    const path = `${folder}/zinc/pipelines/${cacheFiles(folder)[0]}`;
    const good = Deno.readFileSync(path);
    for (
      const content of [crypto.getRandomValues(new Uint8Array(5000)), new Uint8Array(0), good.subarray(0, 40)]
    ) {
      Deno.writeFileSync(path, content);
      await computes(folder);
      assertEquals(Deno.readFileSync(path), good, "a good cache takes its place");
    }
    Deno.removeSync(path);
    Deno.mkdirSync(`${path}/in/the/way`, { recursive: true });
    await computes(folder);
    assertEquals(cacheFiles(folder).length, 1);
  }),
);

Deno.test(
  "a cache folder that cannot be made or written does no harm",
  withFolder(async (folder) => {
    Deno.writeTextFileSync(`${folder}/zinc`, "a file where a folder should be");
    await computes(folder);
    assertEquals(Deno.readTextFileSync(`${folder}/zinc`), "a file where a folder should be");
  }),
);

Deno.test(
  "ZINC_NO_PIPELINE_CACHE=1 leaves the disk alone",
  withFolder(async (folder) => {
    await computes(folder, { ZINC_NO_PIPELINE_CACHE: "1" });
    assert(![...Deno.readDirSync(folder)].some((entry) => entry.name === "zinc"));
  }),
);
