import { decodeTensor, type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { deviceBytes, planeCopies, planeOffset, splitPlanes } from "../../src/quant/planes.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { elementsOf, joinPlanes, sampleBlocks } from "./sample_blocks.ts";

const BLOCKS = 37; // odd, so that no plane of 2 or 4 bytes a block ends at a multiple of 16

function splitWhole(name: FormatName, src: Uint8Array, blocks: number): Uint8Array {
  const dst = new Uint8Array(deviceBytes(name, elementsOf(name, blocks)));
  splitPlanes(name, src, 0, blocks, blocks, dst);
  return dst;
}

Deno.test("splitPlanes() puts the quants of three Q4_0 blocks before their scales", () => {
  const src = sampleBlocks("q4_0", 3);
  const device = splitWhole("q4_0", src, 3);
  assertEquals(device.length, 48 + 16); // three times 16 bytes, three times 2 bytes padded to 16
  assertEquals(device.subarray(0, 16), src.subarray(2, 18));
  assertEquals(device.subarray(16, 32), src.subarray(20, 36));
  assertEquals([...device.subarray(48, 54)], [src[0], src[1], src[18], src[19], src[36], src[37]]);
});

Deno.test("splitPlanes() puts the code book of IQ2_XXS behind the planes", () => {
  const device = splitWhole("iq2_xxs", sampleBlocks("iq2_xxs", 3), 3);
  const planes = 3 * 64 + 16; // 64 bytes of indices and signs a block; three scales padded to 16 bytes
  assertEquals(device.length, planes + 256 * 8);
  assertEquals([...device.subarray(planes, planes + 8)], [8, 8, 8, 8, 8, 8, 8, 8]); // iq2xxs_grid[0]
  assertEquals([...device.subarray(planes + 8, planes + 16)], [43, 8, 8, 8, 8, 8, 8, 8]); // iq2xxs_grid[1]
});

for (const name of Object.keys(FORMATS) as FormatName[]) {
  Deno.test(`splitPlanes() loses nothing of ${name}`, () => {
    const src = sampleBlocks(name, BLOCKS);
    assertEquals(joinPlanes(name, splitWhole(name, src, BLOCKS), BLOCKS), src);
  });

  Deno.test(`splitPlanes() gives the same for ${name} in pieces and at odd addresses`, () => {
    const src = sampleBlocks(name, BLOCKS);
    const whole = splitWhole(name, src, BLOCKS);
    const { blockBytes } = FORMATS[name];
    const pieces = new Uint8Array(whole.length + 1).subarray(1);
    for (let first = 0; first < BLOCKS; first += 5) {
      const count = Math.min(5, BLOCKS - first);
      const piece = new Uint8Array(count * blockBytes + 3).subarray(3);
      piece.set(src.subarray(first * blockBytes, (first + count) * blockBytes));
      splitPlanes(name, piece, first, count, BLOCKS, pieces);
    }
    assertEquals(pieces, whole);
  });

  Deno.test(`planeCopies() places a piece of ${name} that was split by itself`, () => {
    const src = sampleBlocks(name, BLOCKS);
    const { blockBytes } = FORMATS[name];
    const device = new Uint8Array(deviceBytes(name, elementsOf(name, BLOCKS)));
    for (const [first, count] of [[0, 20], [20, 17]]) {
      const staging = splitWhole(name, src.subarray(first * blockBytes, (first + count) * blockBytes), count);
      for (const { from, to, bytes } of planeCopies(name, first, count, BLOCKS)) {
        device.set(staging.subarray(from, from + bytes), to);
      }
    }
    assertEquals(device, splitWhole(name, src, BLOCKS));
  });
}

Deno.test("planeOffset() is a multiple of 16 for every plane, and stays exact beyond 4 GiB", () => {
  for (const { name, planes, blockLength } of Object.values(FORMATS)) {
    for (const blocks of [1, 3, 1001, 400_000_001]) {
      for (let p = 0; p < planes.length; p++) {
        const offset = planeOffset(name, blocks * blockLength, p);
        assert(Number.isSafeInteger(offset) && offset % 16 === 0, `${name} ${blocks} ${p}: ${offset}`);
      }
    }
  }
  assertEquals(planeOffset("q4_0", 400_000_001 * 32, 1), 6_400_000_016);
  assertEquals(deviceBytes("q4_0", 400_000_001 * 32), 6_400_000_016 + 800_000_016);
});

Deno.test("deviceBytes() equals the size in the file where blocks are multiples of 16 bytes", () => {
  assertEquals(deviceBytes("q4_k", 256 * 5), 144 * 5);
  assertEquals(decodeTensor("q4_k", splitWhole("q4_k", sampleBlocks("q4_k", 5), 5), 256).length, 256);
});

Deno.test("splitPlanes() refuses pieces beyond the tensor and buffers that are too short", async () => {
  const src = sampleBlocks("q4_0", 4);
  await assertFails(() => splitPlanes("q4_0", src, 2, 4, 5, new Uint8Array(1000)), "blocks 2+4 of 5");
  await assertFails(() => splitPlanes("q4_0", src, 0, 5, 5, new Uint8Array(1000)), "5 q4_0 blocks need more");
  await assertFails(
    () => splitPlanes("q4_0", src, 0, 4, 4, new Uint8Array(70)),
    "70 bytes hold no q4_0 tensor",
  );
});
