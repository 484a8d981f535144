import { UserError } from "../../src/common/errors.ts";
import { openGguf } from "../../src/gguf/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { GGML, int, key, type RawFile, rawGguf, type RawKey, TYPE } from "./hostile.ts";

/** A part with one tensor of 8 floats, all of whose bytes are `no + 1`. */
function part(no: number, count: number, total: number, extra: RawKey[] = []): RawFile {
  const split = [
    key.u16("split.no", no),
    key.u16("split.count", count),
    key.i32("split.tensors.count", total),
  ];
  const tensors = [{ name: `t${no}`, dims: [8n], type: GGML.f32, offset: 0n }];
  return { keys: [...extra, ...split], tensors, dataBytes: 32 };
}

const MODEL_KEYS = [key.string("general.architecture", "llama")];

/** Writes parts under their right names (or the given ones) and runs `action` in their folder. */
async function withParts(
  files: Record<string, RawFile>,
  action: (folder: string) => unknown,
): Promise<void> {
  const folder = Deno.makeTempDirSync();
  try {
    for (const [name, file] of Object.entries(files)) {
      const bytes = rawGguf(file);
      const no = file.keys!.find(({ key }) => key === "split.no")!.value[0];
      bytes.fill(no + 1, bytes.length - 32);
      Deno.writeFileSync(`${folder}/${name}`, bytes);
    }
    await action(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const THREE = {
  "m-00001-of-00003.gguf": part(0, 3, 3, MODEL_KEYS),
  "m-00002-of-00003.gguf": part(1, 3, 3),
  "m-00003-of-00003.gguf": part(2, 3, 3),
};

Deno.test("openGguf() opens a split model by any of its parts", { sanitizeResources: true }, async () => {
  await withParts(THREE, (folder) => {
    for (const name of Object.keys(THREE)) {
      using file = openGguf(`${folder}/${name}`);
      assertEquals(file.metadata.string("general.architecture"), "llama");
      assertEquals(file.shards.map(({ path }) => path.slice(folder.length + 1)), Object.keys(THREE));
      assertEquals([...file.tensors.values()].map(({ name, shard }) => [name, shard]), [
        ["t0", 0],
        ["t1", 1],
        ["t2", 2],
      ]);
      for (const info of file.tensors.values()) {
        const bytes = new Uint8Array(32);
        file.readTensor(info, bytes);
        assertEquals(bytes, new Uint8Array(32).fill(info.shard + 1));
      }
    }
  });
});

Deno.test("openGguf() names the parts that are missing", { sanitizeResources: true }, async () => {
  const { "m-00002-of-00003.gguf": second } = THREE;
  await withParts({ "m-00002-of-00003.gguf": second }, async (folder) => {
    const error = await assertFails(
      () => openGguf(`${folder}/m-00002-of-00003.gguf`),
      "parts of the model are missing",
    );
    assert(error instanceof UserError);
    assert(
      error.message.endsWith(`"${folder}/m-00001-of-00003.gguf", "${folder}/m-00003-of-00003.gguf"`),
      error.message,
    );
  });
  await withParts({ "m-00001-of-00100.gguf": part(0, 100, 100) }, async (folder) => {
    await assertFails(() => openGguf(`${folder}/m-00001-of-00100.gguf`), '-00006-of-00100.gguf" and 94 more');
  });
});

Deno.test("openGguf() refuses parts whose names do not fit their numbers", async () => {
  await withParts({ "model.gguf": part(0, 3, 3) }, async (folder) => {
    await assertFails(
      () => openGguf(`${folder}/model.gguf`),
      'it is part 1 of 3 of a split model, but its name does not end in "-00001-of-00003.gguf"',
    );
  });
  const renamed = { "m-00002-of-00003.gguf": part(0, 3, 3), "m-00001-of-00003.gguf": part(1, 3, 3) };
  await withParts(renamed, async (folder) => {
    await assertFails(
      () => openGguf(`${folder}/m-00002-of-00003.gguf`),
      "by its metadata it is part 1 of 3, by its name part 2 of 3; give the parts their original names",
    );
  });
});

Deno.test("openGguf() refuses parts that do not belong together", { sanitizeResources: true }, async () => {
  const first = part(0, 2, 2, MODEL_KEYS);
  const cases: [RawFile, string][] = [
    [part(0, 2, 2), "it says that it is part 1 of 2 with 2 tensors in all, expected is part 2 of 2"],
    [part(1, 3, 2), "it says that it is part 2 of 3 with 2 tensors in all, expected is part 2 of 2"],
    [part(1, 2, 5), "it says that it is part 2 of 2 with 5 tensors in all, expected is part 2 of 2 with 2"],
    [{ ...part(1, 2, 2), tensors: part(0, 2, 2).tensors }, 'tensor "t0" is also in another part'],
  ];
  for (const [second, message] of cases) {
    await withParts({ "m-00001-of-00002.gguf": first, "m-00002-of-00002.gguf": second }, async (folder) => {
      const error = await assertFails(() => openGguf(`${folder}/m-00001-of-00002.gguf`), message);
      assert(error instanceof UserError);
    });
  }
});

Deno.test("openGguf() refuses a split whose total does not fit", async () => {
  const files = { "m-00001-of-00002.gguf": part(0, 2, 3), "m-00002-of-00002.gguf": part(1, 2, 3) };
  await withParts(files, async (folder) => {
    await assertFails(
      () => openGguf(`${folder}/m-00001-of-00002.gguf`),
      'the parts hold 2 tensors, but key "split.tensors.count" says 3',
    );
  });
});

Deno.test("openGguf() checks the split keys themselves", async () => {
  const wrong: [RawKey[], string][] = [
    [
      [key.u16("split.no", 3), key.u16("split.count", 3)],
      'key "split.no": 3 is not a whole number from 0 to 2',
    ],
    [[key.u16("split.count", 3)], 'no key "split.no"'],
    [[key.string("split.count", "3")], 'key "split.count": it must be a number'],
    [
      [key.u16("split.no", 0), key.u16("split.count", 3), key.i32("split.tensors.count", -1)],
      "-1 is not a whole number",
    ],
  ];
  for (const [keys, message] of wrong) {
    const folder = Deno.makeTempDirSync();
    try {
      Deno.writeFileSync(`${folder}/m.gguf`, rawGguf({ keys }));
      assert(await assertFails(() => openGguf(`${folder}/m.gguf`), message) instanceof UserError);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  }
});

Deno.test("openGguf() takes a file with split.count 1 as whole, whatever its name", async () => {
  const keys = [key.u16("split.no", 0), { key: "split.count", type: TYPE.u16, value: int(1, 2) }];
  await withParts({ "any.gguf": { ...part(0, 1, 1), keys } }, (folder) => {
    using file = openGguf(`${folder}/any.gguf`);
    assertEquals(file.shards.length, 1);
  });
});
