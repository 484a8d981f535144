/**
 * The reader against gguf-py, the reference reader of the format: gguf_py.json holds what gguf-py 0.19.0 says of two
 * files of the golden kit. A key has its type and its value, an array its element type, length and a hash (of the raw
 * elements; strings each followed by a newline); a tensor has name, type, shape, file offset and a hash of its data.
 * Hashes are the first 16 hexadecimal digits of SHA-256.
 */
import { createHash } from "node:crypto";
import { type GgufFile, type Metadata, openGguf, StringArray } from "../../src/gguf/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { GGML, rawGguf } from "./hostile.ts";

const GOLDEN = new URL("../golden/", import.meta.url).pathname;

type KeySummary = [type: string, value: unknown] | [type: string, length: number, hash: string];
type TensorSummary = [name: string, format: string, dims: number[], offset: number, hash: string];

const EXPECTED: Record<string, { keys: Record<string, KeySummary>; tensors: TensorSummary[] }> = JSON.parse(
  Deno.readTextFileSync(new URL("gguf_py.json", import.meta.url)),
);

function hash(...parts: Uint8Array[]): string {
  const sha = createHash("sha256");
  for (const part of parts) sha.update(part);
  return sha.digest("hex").slice(0, 16);
}

function summarizeKey(metadata: Metadata, key: string): KeySummary {
  const value = metadata.get(key);
  if (!metadata.isArray(key)) return [metadata.type(key)!, value];
  const type = `${metadata.elementType(key)}[]`;
  if (value instanceof StringArray) {
    const newline = Uint8Array.of(10);
    const parts = Array.from({ length: value.length }, (_, i) => [value.bytes(i), newline]).flat();
    return [type, value.length, hash(...parts)];
  }
  const { buffer, length } = metadata.numbers(key);
  return [type, length, hash(new Uint8Array(buffer))];
}

function tensorBytes(file: GgufFile, name: string): Uint8Array {
  const info = file.tensors.get(name)!;
  const bytes = new Uint8Array(info.bytes);
  file.readTensor(info, bytes);
  return bytes;
}

for (const [name, expected] of Object.entries(EXPECTED)) {
  Deno.test(`openGguf() reads the metadata of ${name} as gguf-py does`, () => {
    using file = openGguf(GOLDEN + name);
    const found = file.metadata.keys().map((key) => [key, summarizeKey(file.metadata, key)]);
    assertEquals(Object.fromEntries(found), expected.keys);
  });

  Deno.test(`openGguf() finds the tensors of ${name} where gguf-py does`, () => {
    using file = openGguf(GOLDEN + name);
    const found = [...file.tensors.values()].map(({ name, format, dims, fileOffset }): TensorSummary => [
      name,
      format!,
      [...dims],
      fileOffset,
      hash(tensorBytes(file, name)),
    ]);
    assertEquals(found, expected.tensors);
  });
}

Deno.test("openGguf() accepts every file of the golden kit", () => {
  let count = 0;
  for (const { name } of Deno.readDirSync(GOLDEN)) {
    if (!name.endsWith(".gguf")) continue;
    using file = openGguf(GOLDEN + name);
    assert(file.tensors.size > 0, name);
    for (const info of file.tensors.values()) assert(info.format, `${name}: ${info.name}`);
    count++;
  }
  assert(count > 70, `${count} files`);
});

Deno.test("readTensor() reads any part of a tensor", () => {
  using file = openGguf(`${GOLDEN}llama_q4_k_m.gguf`);
  const info = file.tensors.get("blk.0.attn_q.weight")!;
  const whole = tensorBytes(file, info.name);
  for (const [offset, length] of [[0, 1], [1, 143], [144, 1000], [info.bytes - 5, 5], [info.bytes, 0]]) {
    const part = new Uint8Array(length);
    file.readTensor(info, part, offset);
    assertEquals(part, whole.slice(offset, offset + length));
  }
});

Deno.test("readTensor() does not read beyond a tensor", async () => {
  using file = openGguf(`${GOLDEN}llama_q4_k_m.gguf`);
  const info = file.tensors.get("blk.0.attn_q.weight")!;
  await assertFails(
    () => file.readTensor(info, new Uint8Array(2), info.bytes - 1),
    "bytes beyond the tensor's",
  );
  await assertFails(() => file.readTensor(info, new Uint8Array(2), -1), "bytes beyond the tensor's");
});

Deno.test("readTensor() says so when the file was cut while it was open", async () => {
  const path = Deno.makeTempFileSync({ suffix: ".gguf" });
  try {
    Deno.copyFileSync(`${GOLDEN}llama_q4_k_m.gguf`, path);
    using file = openGguf(path);
    Deno.truncateSync(path, 10000);
    const error = await assertFails(() => tensorBytes(file, "output_norm.weight"), "it ended inside tensor");
    assertEquals(error.name, "UserError");
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("readTensor() reads beyond 4 GiB", { ignore: Deno.build.os === "windows" }, () => {
  // A sparse file: 5 GiB long, but only its header and its last tensor take room on the disk.
  const big = 5n * 2n ** 30n;
  const tensors = [
    { name: "big", dims: [big], type: GGML.i8, offset: 0n },
    { name: "last", dims: [4n], type: GGML.i8, offset: big },
  ];
  const header = rawGguf({ tensors });
  const path = Deno.makeTempFileSync({ suffix: ".gguf" });
  try {
    using raw = Deno.openSync(path, { write: true });
    raw.writeSync(header);
    raw.seekSync(BigInt(header.length) + big, Deno.SeekMode.Start);
    raw.writeSync(Uint8Array.of(1, 2, 3, 4));
    using file = openGguf(path);
    assertEquals([...tensorBytes(file, "last")], [1, 2, 3, 4]);
    const end = new Uint8Array(2);
    file.readTensor(file.tensors.get("big")!, end, Number(big) - 2);
    assertEquals([...end], [0, 0]);
  } finally {
    Deno.removeSync(path);
  }
});
