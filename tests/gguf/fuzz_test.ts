/**
 * Random damage to sound headers: whatever the file says, the reader either accepts it or throws a `UserError`, and
 * never takes much more memory than the file has bytes. The seed is printed; `ZINC_FUZZ_SEED` repeats a run.
 */
import { UserError } from "../../src/common/errors.ts";
import { openGguf } from "../../src/gguf/mod.ts";
import { assert } from "../support/assert.ts";
import { rawGguf, soundFile } from "./hostile.ts";

const MUTATIONS = 2000;
/** Values that have broken other readers. */
const EXTREMES = [
  0n,
  1n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 53n,
  2n ** 61n,
  2n ** 63n,
  2n ** 64n - 1n,
];
/** What opening a file of some hundred bytes may allocate at most. */
const ALLOCATED_MAX = 4 * 2 ** 20;

/** Small, fast and repeatable: mulberry32. */
function randomSource(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

function mutate(sound: Uint8Array, random: (below: number) => number): Uint8Array {
  const bytes = sound.slice();
  const view = new DataView(bytes.buffer);
  for (let n = 1 + random(3); n > 0; n--) {
    // Start behind the magic: what is not GGUF at all has tests of its own.
    const at = 4 + random(bytes.length - 12);
    const kind = random(5);
    if (kind === 0) bytes[at] = random(256);
    else if (kind === 1) view.setUint32(at, random(32), true);
    else if (kind === 2) view.setBigUint64(at, EXTREMES[random(EXTREMES.length)], true);
    else if (kind === 3) bytes.copyWithin(at, random(bytes.length), random(bytes.length));
    else return bytes.subarray(0, at);
  }
  return bytes;
}

Deno.test("openGguf() survives thousands of damaged headers", { sanitizeResources: true }, () => {
  const seed = Number(Deno.env.get("ZINC_FUZZ_SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0]);
  const random = randomSource(seed);
  const sound = rawGguf(soundFile());
  const folder = Deno.makeTempDirSync();
  let accepted = 0;
  try {
    const path = `${folder}/m.gguf`;
    for (let i = 0; i < MUTATIONS; i++) {
      Deno.writeFileSync(path, mutate(sound, random));
      const before = Deno.memoryUsage().external;
      try {
        using file = openGguf(path);
        for (const key of file.metadata.keys()) file.metadata.get(key);
        for (const info of file.tensors.values()) {
          // Only what the file really has can be asked for.
          file.readTensor(info, new Uint8Array(info.bytes));
        }
        accepted++;
      } catch (error) {
        assert(
          error instanceof UserError,
          `seed ${seed}, mutation ${i}: ${error}\n${(error as Error).stack}`,
        );
        assert(!error.message.includes("\n"), `seed ${seed}, mutation ${i}: ${error.message}`);
      }
      const allocated = Deno.memoryUsage().external - before;
      assert(allocated < ALLOCATED_MAX, `seed ${seed}, mutation ${i}: ${allocated} bytes allocated`);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
  console.log(`seed ${seed}: ${accepted} of ${MUTATIONS} accepted`);
  assert(accepted > 0 && accepted < MUTATIONS);
});
