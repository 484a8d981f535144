import { UserError } from "../../src/common/errors.ts";
import { openGguf } from "../../src/gguf/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import {
  array,
  concat,
  f32,
  GGML,
  int,
  key,
  type RawFile,
  rawGguf,
  type RawTensor,
  soundFile,
  str,
  TYPE,
  u32,
  u64,
  withFile,
} from "./hostile.ts";

/** Opens a raw file and asserts that the error is for users, on one line, and says `message`. */
async function refuses(file: RawFile | Uint8Array, message: string): Promise<void> {
  const bytes = file instanceof Uint8Array ? file : rawGguf(file);
  const error = await withFile(bytes, (path) => assertFails(() => openGguf(path)[Symbol.dispose](), message));
  assert(error instanceof UserError, `${error.name}: ${error.message}`);
  assert(/^Cannot (read|use) [^\n]*[^.\n]$/.test(error.message), error.message);
}

function tensor(entry: Partial<RawTensor>): RawFile {
  return { tensors: [{ name: "x", dims: [32n], type: GGML.f32, offset: 0n, ...entry }], dataBytes: 4096 };
}

function oneKey(name: string, type: number, value: Uint8Array): RawFile {
  return { keys: [{ key: name, type, value }] };
}

Deno.test("openGguf() reads a sound file written by hand", async () => {
  await withFile(rawGguf(soundFile()), (path) => {
    using file = openGguf(path);
    assertEquals(file.version, 3);
    assertEquals([...file.tensors.keys()], ["a", "b", "c"]);
    const { shard, fileOffset, ...b } = file.tensors.get("b")!;
    assertEquals(b, { name: "b", format: "q4_0", ggmlType: 2, dims: [64], elements: 64, bytes: 36 });
    assertEquals(shard, 0);
    assertEquals(fileOffset % 32, 0);
    assertEquals(file.metadata.string("general.architecture"), "llama");
  });
});

Deno.test("openGguf() names the version it cannot read", async () => {
  await refuses({ version: 0 }, "version at byte 4: version 0 does not exist; supported are 2 and 3");
  await refuses(
    { version: 1 },
    "version at byte 4: GGUF version 1 is no longer read; convert the model again",
  );
  await refuses(
    { version: 4 },
    "version at byte 4: GGUF version 4 is newer than the supported versions 2 and 3",
  );
  await refuses({ version: 0x03000000 }, "version at byte 4: the file is big-endian");
  await withFile(rawGguf({ version: 2 }), (path) => {
    using file = openGguf(path);
    assertEquals(file.version, 2);
  });
});

Deno.test("openGguf() bounds the counts by the bytes that exist", async () => {
  for (const count of [3n, 2n ** 31n, 2n ** 61n, 2n ** 63n, 2n ** 64n - 1n]) {
    await refuses(
      { tensorCount: count },
      `number of tensors at byte 8: ${count} tensors are more than the file holds`,
    );
    await refuses(
      { keyCount: count },
      `number of keys at byte 16: ${count} keys are more than the file holds`,
    );
  }
});

Deno.test("openGguf() bounds string lengths by the bytes that exist, and by a limit", async () => {
  for (const length of [2n ** 64n - 1n, 2n ** 63n, 2n ** 32n, 1000n]) {
    await refuses(
      { keys: [{ key: "k", length, type: TYPE.u8, value: int(1, 1) }] },
      `name of key 0 at byte 24: ${length} bytes are more than the file holds`,
    );
    await refuses(
      oneKey("k", TYPE.string, str("value", length)),
      `value of key "k" at byte 37: ${length} bytes are more than the file holds`,
    );
  }
  const rest = 5 + 14; // "value" and the padding to a multiple of 32
  await refuses(oneKey("k", TYPE.string, str("value", BigInt(rest + 1))), `${rest + 1} bytes are more`);
  await refuses(
    oneKey("k".repeat(70000), TYPE.u8, int(1, 1)),
    "name of key 0 at byte 24: 70000 bytes, but at most 65535 are allowed",
  );
  await refuses(tensor({ name: "n".repeat(1025) }), "1025 bytes, but at most 1024 are allowed");
});

Deno.test("openGguf() bounds array counts and accepts no arrays of arrays", async () => {
  await refuses(
    oneKey("k", TYPE.array, array(TYPE.u64, 2n ** 61n)),
    `value of key "k" at byte 41: ${2n ** 61n} elements of 8 bytes are more than the file holds`,
  );
  await refuses(oneKey("k", TYPE.array, array(TYPE.string, 2n ** 60n)), `${2n ** 60n} strings are more than`);
  await refuses(oneKey("k", TYPE.array, array(TYPE.u8, 2n ** 64n - 1n)), "elements of 1 bytes are more than");
  await refuses(oneKey("k", TYPE.array, array(TYPE.bool, 100)), "100 elements of 1 bytes are more than");
  const nested = concat(...Array.from({ length: 100_000 }, () => array(TYPE.array, 1)));
  await refuses(
    oneKey("k", TYPE.array, nested),
    `value of key "k" at byte 37: arrays of arrays are not supported`,
  );
});

Deno.test("openGguf() reads empty arrays", async () => {
  for (const type of [TYPE.u8, TYPE.f64, TYPE.string, TYPE.bool]) {
    await withFile(rawGguf(oneKey("k", TYPE.array, array(type, 0))), (path) => {
      using file = openGguf(path);
      assertEquals((file.metadata.get("k") as { length: number }).length, 0);
    });
  }
});

Deno.test("openGguf() refuses value types that do not exist and bools that are neither 0 nor 1", async () => {
  await refuses(
    oneKey("k", 13, u64(0)),
    'type of key "k" at byte 33: type 13 does not exist; known are 0 (u8) to 12',
  );
  await refuses(oneKey("k", 0xffffffff, u64(0)), "type 4294967295 does not exist");
  await refuses(oneKey("k", TYPE.array, array(13, 1)), "type 13 does not exist");
  await refuses(oneKey("k", TYPE.bool, int(2, 1)), "a bool is 0 or 1, not 2");
});

Deno.test("openGguf() refuses empty and repeated keys and names", async () => {
  await refuses({ keys: [key.u32("", 1)] }, "name of key 0 at byte 24: the key is empty");
  await refuses({ keys: [key.u32("k", 1), key.u32("k", 1)] }, 'the key "k" appears twice');
  const x = { name: "x", dims: [8n], type: GGML.f32, offset: 0n };
  await refuses({ tensors: [x, { ...x, offset: 32n }], dataBytes: 64 }, 'the name "x" appears twice');
  await refuses(tensor({ name: "" }), "name of tensor 0 at byte 24: the name is empty");
});

Deno.test("openGguf() accepts 1 to 4 dimensions", async () => {
  for (const dimCount of [0, 5, 0xffffffff]) {
    await refuses(
      tensor({ dimCount }),
      `dimensions of tensor "x" at byte 33: ${dimCount} dimensions, but 1 to 4`,
    );
  }
});

Deno.test("openGguf() refuses negative extents, and lists a tensor without elements", async () => {
  await refuses(tensor({ dims: [-1n] }), 'size of tensor "x" at byte 33: the extent -1 is negative');
  await refuses(tensor({ dims: [32n, -(2n ** 63n)] }), "the extent -9223372036854775808 is negative");
  await withFile(rawGguf(tensor({ dims: [32n, 0n] })), (path) => {
    using file = openGguf(path);
    assertEquals(file.tensors.get("x")!.elements, 0);
    assertEquals(file.tensors.get("x")!.bytes, 0);
  });
});

Deno.test("openGguf() computes sizes without overflow", async () => {
  const larger = /the shape \[.*\] is larger than any file/;
  for (
    const [type, dims] of [
      [GGML.f32, [2n ** 62n - 1n]],
      [GGML.f32, [2n ** 33n, 2n ** 33n]],
      [GGML.f32, [2n ** 32n, 2n ** 32n, 2n ** 32n, 2n ** 32n]],
      [GGML.q4Zero, [2n ** 62n]],
      [GGML.f32, [0n, 2n ** 62n]],
      [GGML.i8, [0x7fffffffffffffc0n]],
      [999, [2n ** 62n]],
    ] as [number, bigint[]][]
  ) {
    await withFile(rawGguf(tensor({ type, dims })), (path) => assertFails(() => openGguf(path), larger));
  }
  await refuses(
    tensor({ dims: [2n ** 40n] }),
    'tensor "x" ends at byte 4398046511168, but the file has 4160 bytes',
  );
  await refuses(tensor({ offset: 2n ** 63n }), "it lies behind the end of any file");
  await refuses(tensor({ offset: 2n ** 52n }), "download it again");
});

Deno.test("openGguf() refuses rows that are not whole blocks", async () => {
  await refuses(
    tensor({ type: GGML.q4K, dims: [100n, 256n] }),
    'size of tensor "x" at byte 33: its rows of 100 are not divisible by 256, the block length of q4_k',
  );
});

Deno.test("openGguf() lists tensors of unknown type with the room they have", async () => {
  for (const type of [0xffffffff, 4, 31, 999]) {
    const tensors = [
      { name: "x", dims: [100n], type, offset: 0n },
      { name: "y", dims: [8n], type: GGML.f32, offset: 64n },
    ];
    await withFile(rawGguf({ tensors, dataBytes: 96 }), (path) => {
      using file = openGguf(path);
      const { format, ggmlType, elements, bytes } = file.tensors.get("x")!;
      assertEquals([format, ggmlType, elements, bytes], [undefined, type, 100, 64]);
    });
  }
});

Deno.test("openGguf() refuses misaligned and overlapping tensors", async () => {
  await refuses(
    tensor({ offset: 1n }),
    'offset of tensor "x" at byte 49: 1 is not a multiple of the alignment 32',
  );
  const tensors = [
    { name: "x", dims: [32n], type: GGML.f32, offset: 0n },
    { name: "y", dims: [32n], type: GGML.f32, offset: 96n },
  ];
  await refuses({ tensors, dataBytes: 4096 }, 'tensors "x" and "y" overlap; the file is damaged');
  await refuses({ tensors: tensors.toReversed(), dataBytes: 4096 }, 'tensors "x" and "y" overlap');
  const around = [
    { name: "x", dims: [256n], type: GGML.f32, offset: 0n },
    { name: "y", dims: [8n], type: GGML.f32, offset: 64n },
    { name: "z", dims: [8n], type: GGML.f32, offset: 512n },
  ];
  await refuses({ tensors: [around[0], around[2]], dataBytes: 4096 }, 'tensors "x" and "z" overlap');
  await refuses({ tensors: around, dataBytes: 4096 }, 'tensors "x" and "y" overlap');
});

Deno.test("openGguf() accepts tensors in any order and with gaps", async () => {
  const tensors = [
    { name: "x", dims: [8n], type: GGML.f32, offset: 128n },
    { name: "y", dims: [8n], type: GGML.f32, offset: 0n },
  ];
  await withFile(rawGguf({ tensors, dataBytes: 160 }), (path) => {
    using file = openGguf(path);
    assertEquals([...file.tensors.keys()], ["x", "y"]);
    assertEquals(file.tensors.get("x")!.fileOffset - file.tensors.get("y")!.fileOffset, 128);
  });
});

Deno.test("openGguf() says how much of an incomplete file is missing", async () => {
  const whole = rawGguf(tensor({}));
  await refuses(
    whole.subarray(0, 100),
    'the file is incomplete: tensor "x" ends at byte 192, but the file has 100 bytes; download it again',
  );
});

Deno.test("openGguf() refuses every prefix of a sound file that is too short for its tensors", async () => {
  const whole = rawGguf(soundFile());
  for (let length = 0; length < whole.length; length++) {
    const error = await withFile(whole.subarray(0, length), (path) => assertFails(() => openGguf(path), /./));
    assert(error instanceof UserError, `${length} bytes: ${error.name}: ${error.message}`);
  }
});

Deno.test("openGguf() obeys general.alignment where it is a sound u32", async () => {
  const alignment = (type: number, value: Uint8Array) => oneKey("general.alignment", type, value);
  for (const value of [0, 3, 48, 1 << 17, 2 ** 31]) {
    await refuses(alignment(TYPE.u32, u32(value)), `${value} is not a power of two from 1 to 65536`);
  }
  await refuses(alignment(TYPE.u64, u64(32)), "its type must be u32, but is u64");
  await refuses(alignment(TYPE.f32, f32(32)), "its type must be u32, but is f32");
  const tensors = [
    { name: "x", dims: [8n], type: GGML.f32, offset: 0n },
    { name: "y", dims: [8n], type: GGML.f32, offset: 1024n },
  ];
  const keys = [key.u32("general.alignment", 1024)];
  await withFile(rawGguf({ keys, tensors, alignment: 1024, dataBytes: 1056 }), (path) => {
    using file = openGguf(path);
    assertEquals([...file.tensors.values()].map(({ fileOffset }) => fileOffset), [1024, 2048]);
  });
  await refuses(
    { keys, tensors: [tensors[0], { ...tensors[1], offset: 32n }], dataBytes: 4096 },
    "32 is not a multiple of the alignment 1024",
  );
});

Deno.test("openGguf() escapes control characters in what it repeats", async () => {
  await refuses(
    { keys: [key.u32("\x1b]0;pwn\x07", 1), key.u32("\x1b]0;pwn\x07", 1)] },
    "\\u001b]0;pwn\\u0007",
  );
});

Deno.test("openGguf() closes the file when it refuses it", { sanitizeResources: true }, async () => {
  await refuses({ version: 9 }, "version 9 is newer");
  await refuses(rawGguf(tensor({})).subarray(0, 100), "the file is incomplete");
  await refuses(new Uint8Array(9), "it is not a GGUF file");
});
