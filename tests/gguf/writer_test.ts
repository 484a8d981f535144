import { UserError } from "../../src/common/errors.ts";
import { type GgufContents, openGguf, writeGguf } from "../../src/gguf/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { array, concat, f32, GGML, int, rawGguf, str, TYPE, u64 } from "./hostile.ts";

/** Runs `action` with a path in a new folder. */
async function withFolder(action: (folder: string) => unknown): Promise<void> {
  const folder = Deno.makeTempDirSync();
  try {
    await action(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const data = Uint8Array.from({ length: 36 }, (_, i) => i);

const CONTENTS: GgufContents = {
  metadata: [
    ["general.architecture", "string", "llama"],
    ["n", "u32", 4294967295],
    ["big", "u64", 2n ** 64n - 1n],
    ["eps", "f32", 1e-5],
    ["flag", "bool", false],
    ["raw", "string", Uint8Array.of(0xff, 0)],
    ["tokens", "string[]", ["a", "\ufeff", Uint8Array.of(0x80)]],
    ["ids", "i32[]", [-1, 2]],
    ["empty", "u8[]", []],
  ],
  tensors: [
    { name: "q", format: "q4_0", dims: [64], data },
    { name: "f", format: "f32", dims: [2, 1], data: () => [int(1, 4), int(2, 4)] },
  ],
};

Deno.test("writeGguf() writes the bytes of the specification", async () => {
  const expected = rawGguf({
    keys: [
      { key: "general.architecture", type: TYPE.string, value: str("llama") },
      { key: "n", type: TYPE.u32, value: int(4294967295, 4) },
      { key: "big", type: TYPE.u64, value: u64(2n ** 64n - 1n) },
      { key: "eps", type: TYPE.f32, value: f32(1e-5) },
      { key: "flag", type: TYPE.bool, value: int(0, 1) },
      { key: "raw", type: TYPE.string, value: str(Uint8Array.of(0xff, 0)) },
      {
        key: "tokens",
        type: TYPE.array,
        value: array(TYPE.string, 3, str("a"), str("\ufeff"), str(int(0x80, 1))),
      },
      { key: "ids", type: TYPE.array, value: array(TYPE.i32, 2, int(-1, 4), int(2, 4)) },
      { key: "empty", type: TYPE.array, value: array(TYPE.u8, 0) },
    ],
    tensors: [
      { name: "q", dims: [64n], type: GGML.q4Zero, offset: 0n },
      { name: "f", dims: [2n, 1n], type: GGML.f32, offset: 64n },
    ],
  });
  await withFolder((folder) => {
    writeGguf(`${folder}/m.gguf`, CONTENTS);
    const tail = concat(data, new Uint8Array(28), int(1, 4), int(2, 4), new Uint8Array(24));
    assertEquals(Deno.readFileSync(`${folder}/m.gguf`), concat(expected, tail));
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["m.gguf"]);
  });
});

Deno.test("writeGguf() and openGguf() are inverse, with any alignment", async () => {
  for (const alignment of [1, 8, 32, 4096]) {
    await withFolder((folder) => {
      writeGguf(`${folder}/m.gguf`, { ...CONTENTS, alignment });
      using file = openGguf(`${folder}/m.gguf`);
      assertEquals(file.metadata.get("big"), 2n ** 64n - 1n);
      assertEquals([...file.metadata.bytes("raw")], [0xff, 0]);
      const bytes = new Uint8Array(36);
      file.readTensor(file.tensors.get("q")!, bytes);
      assertEquals(bytes, data);
      for (const { fileOffset } of file.tensors.values()) assertEquals(fileOffset % alignment, 0);
    });
  }
});

Deno.test("writeGguf() leaves nothing behind, and the old file untouched, when the data is wrong", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/m.gguf`;
    Deno.writeTextFileSync(path, "old");
    const short = { name: "x", format: "f32", dims: [9], data: new Uint8Array(32) } as const;
    await assertFails(
      () => writeGguf(path, { metadata: [], tensors: [short] }),
      "x: 32 bytes of data, [9] f32 needs 36",
    );
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["m.gguf"]);
    assertEquals(Deno.readTextFileSync(path), "old");
  });
});

Deno.test("writeGguf() says why a file cannot be written", async () => {
  const error = await assertFails(() => writeGguf("/no/such/folder/m.gguf", CONTENTS), "Cannot write");
  assert(error instanceof UserError);
});

Deno.test("writeGguf() refuses values that do not fit their types", async () => {
  await withFolder(async (folder) => {
    const write = (entry: GgufContents["metadata"][number]) => () =>
      writeGguf(`${folder}/m.gguf`, { metadata: [entry], tensors: [] });
    await assertFails(write(["k", "u8", 256]), "256 is not a u8");
    await assertFails(write(["k", "u32", -1]), "-1 is not a u32");
    await assertFails(write(["k", "i32", 1.5]), "1.5 is not a i32");
    await assertFails(write(["k", "u64", 2n ** 64n]), "is not a u64");
    await assertFails(write(["k", "bool", 1]), "1 is not a bool");
    await assertFails(write(["k", "string", 1]), "1 is not a string");
    await assertFails(write(["k", "u8", "1"]), "1 is not a number");
  });
});
