import { UserError } from "../../src/common/errors.ts";
import { type Metadata, openGguf, StringArray } from "../../src/gguf/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { array, f32, int, key, rawGguf, type RawKey, str, TYPE, u64, withFile } from "./hostile.ts";

const KEYS: RawKey[] = [
  { key: "u8", type: TYPE.u8, value: int(255, 1) },
  { key: "i8", type: TYPE.i8, value: int(-1, 1) },
  { key: "u16", type: TYPE.u16, value: int(65535, 2) },
  { key: "i16", type: TYPE.i16, value: int(-2, 2) },
  { key: "u32", type: TYPE.u32, value: int(4294967295, 4) },
  { key: "i32", type: TYPE.i32, value: int(-3, 4) },
  { key: "f32", type: TYPE.f32, value: f32(1e-5) },
  { key: "yes", type: TYPE.bool, value: int(1, 1) },
  { key: "u64", type: TYPE.u64, value: u64(2n ** 53n - 1n) },
  { key: "i64", type: TYPE.i64, value: u64(-4n) },
  { key: "f64", type: TYPE.f64, value: new Uint8Array(Float64Array.of(0.1).buffer) },
  { key: "huge", type: TYPE.u64, value: u64(9007199254740993n) },
  { key: "nan", type: TYPE.f32, value: f32(NaN) },
  key.string("text", "żółw\n\x1b[31m"),
  { key: "bytes", type: TYPE.string, value: str(int(0xfffe, 2)) },
  {
    key: "tokens",
    type: TYPE.array,
    value: array(TYPE.string, 4, str("a"), str(""), str("\ufeff"), str(int(0x80, 1))),
  },
  { key: "u64s", type: TYPE.array, value: array(TYPE.u64, 2, u64(7), u64(2n ** 40n)) },
  { key: "huge64s", type: TYPE.array, value: array(TYPE.u64, 1, u64(2n ** 60n)) },
  { key: "i32s", type: TYPE.array, value: array(TYPE.i32, 2, int(-1, 4), int(5, 4)) },
  { key: "bools", type: TYPE.array, value: array(TYPE.bool, 2, int(1, 1), int(0, 1)) },
];

function withMetadata(action: (metadata: Metadata) => unknown): Promise<void> {
  return withFile(rawGguf({ keys: KEYS }), async (path) => {
    using file = openGguf(path);
    await action(file.metadata);
  });
}

Deno.test("Metadata.number() reads every numeric type", async () => {
  await withMetadata((m) => {
    assertEquals(["u8", "i8", "u16", "i16", "u32", "i32"].map((k) => m.number(k)), [
      255,
      -1,
      65535,
      -2,
      4294967295,
      -3,
    ]);
    assertEquals(["u64", "i64", "f64", "f32"].map((k) => m.number(k)), [
      2 ** 53 - 1,
      -4,
      0.1,
      Math.fround(1e-5),
    ]);
  });
});

Deno.test("Metadata.number() refuses what is not exact or not finite, and get() still shows it", async () => {
  await withMetadata(async (m) => {
    await assertFails(() => m.number("huge"), 'Cannot use key "huge": 9007199254740993 is too large');
    assertEquals(m.get("huge"), 9007199254740993n);
    await assertFails(() => m.number("nan"), 'Cannot use key "nan": NaN is not finite');
  });
});

Deno.test("Metadata.integer() checks wholeness and range", async () => {
  await withMetadata(async (m) => {
    assertEquals(m.integer("u8", { min: 0, max: 255 }), 255);
    assertEquals(m.integer("absent", { min: 1, max: 9 }, 4), 4);
    await assertFails(
      () => m.integer("u8", { min: 0, max: 254 }),
      'Cannot use key "u8": 255 is not a whole number from 0 to 254',
    );
    await assertFails(() => m.integer("i8", { min: 0, max: 254 }), "-1 is not a whole number from 0 to 254");
    await assertFails(() => m.integer("f64", { min: 0, max: 254 }), "0.1 is not a whole number");
  });
});

Deno.test("Metadata getters name a missing key, and the type they found instead of the one they need", async () => {
  await withMetadata(async (m) => {
    const error = await assertFails(
      () => m.string("absent"),
      'Cannot use this model: its file has no key "absent"',
    );
    assert(error instanceof UserError);
    await assertFails(() => m.string("u8"), 'Cannot use key "u8": it must be a string, but is of type u8');
    await assertFails(() => m.number("text"), "it must be a number, but is of type string");
    await assertFails(() => m.number("i32s"), "it must be a number, but is an array of i32");
    await assertFails(() => m.boolean("u8"), "it must be a bool, but is of type u8");
    await assertFails(() => m.strings("i32s"), "it must be an array of strings, but is an array of i32");
    await assertFails(() => m.numbers("tokens"), "it must be an array of numbers, but is an array of string");
    await assertFails(() => m.numbers("u8"), "it must be an array of numbers, but is of type u8");
    await assertFails(() => m.booleans("tokens"), "it must be an array of bools, but is an array of string");
  });
});

Deno.test("Metadata getters take the fallback only where the key is absent", async () => {
  await withMetadata(async (m) => {
    assertEquals([m.string("absent", "x"), m.number("absent", 2), m.boolean("absent", false)], [
      "x",
      2,
      false,
    ]);
    assertEquals([m.string("text", "x"), m.number("u8", 2), m.boolean("yes", false)], [
      "żółw\n\x1b[31m",
      255,
      true,
    ]);
    await assertFails(() => m.string("u8", "x"), "it must be a string");
  });
});

Deno.test("Metadata keeps the bytes of strings that are not UTF-8", async () => {
  await withMetadata((m) => {
    assertEquals([...m.bytes("bytes")], [0xfe, 0xff]);
    assertEquals(m.string("bytes"), "\ufffd\ufffd");
    const tokens = m.strings("tokens");
    assertEquals(tokens.length, 4);
    assertEquals([...tokens.bytes(3)], [0x80]);
    assertEquals(tokens.toArray(), ["a", "", "\ufeff", "\ufffd"]);
  });
});

Deno.test("Metadata.numbers() gives typed arrays, and 64-bit integers where they are exact", async () => {
  await withMetadata(async (m) => {
    assertEquals(m.numbers("i32s"), Int32Array.of(-1, 5));
    assertEquals(m.numbers("u64s"), Float64Array.of(7, 2 ** 40));
    await assertFails(() => m.numbers("huge64s"), `Cannot use key "huge64s": ${2n ** 60n} is too large`);
    assertEquals(m.get("huge64s"), BigUint64Array.of(2n ** 60n));
    assertEquals(m.booleans("bools"), [true, false]);
  });
});

Deno.test("Metadata lists keys in file order, with their types", async () => {
  await withMetadata((m) => {
    assertEquals(m.keys(), KEYS.map(({ key }) => key as string));
    assertEquals([m.type("u64s"), m.elementType("u64s"), m.isArray("u64s")], ["array", "u64", true]);
    assertEquals([m.type("yes"), m.elementType("yes"), m.isArray("yes")], ["bool", undefined, false]);
    assertEquals([m.type("absent"), m.get("absent"), m.has("absent")], [undefined, undefined, false]);
  });
});

Deno.test("Metadata holds a vocabulary of 262144 tokens and 500000 merges", async () => {
  const tokens = Array.from({ length: 262_144 }, (_, i) => `token ${i}`);
  const merges = Array.from({ length: 500_000 }, (_, i) => `left${i} right${i}`);
  const joined = (texts: string[]) => array(TYPE.string, texts.length, joinStrings(texts));
  const keys = [
    { key: "tokenizer.ggml.tokens", type: TYPE.array, value: joined(tokens) },
    { key: "tokenizer.ggml.merges", type: TYPE.array, value: joined(merges) },
  ];
  await withFile(rawGguf({ keys }), (path) => {
    using file = openGguf(path);
    const read = file.metadata.strings("tokenizer.ggml.merges");
    assertEquals([read.length, read.at(0), read.at(499_999)], [
      500_000,
      "left0 right0",
      "left499999 right499999",
    ]);
    assertEquals(file.metadata.strings("tokenizer.ggml.tokens").toArray(), tokens);
  });
});

/** All strings with their lengths, in one array. */
function joinStrings(texts: string[]): Uint8Array {
  const out = new Uint8Array(texts.reduce((sum, text) => sum + 8 + text.length, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const text of texts) {
    view.setBigUint64(at, BigInt(text.length), true);
    at += 8 + new TextEncoder().encodeInto(text, out.subarray(at + 8)).written;
  }
  return out;
}

/** `pieces` as a file stores them. */
function stored(pieces: readonly (string | readonly number[])[]): StringArray {
  const bytes = pieces.map((piece) =>
    typeof piece === "string" ? str(piece).slice(8) : Uint8Array.from(piece)
  );
  let end = 0;
  return new StringArray(
    Uint8Array.from(bytes.flatMap((piece) => [...piece])),
    Uint32Array.from(bytes, (piece) => end += piece.length),
  );
}

Deno.test("StringArray.toArray() cuts characters of every length where the strings end", () => {
  const strings = ["a", "", "Ġthe", "▁", "", "日本", "👩🏽‍🚀", "\ufeff", "\ufeffz", "\u0000", ""];
  assertEquals(stored(strings).toArray(), strings);
  assertEquals(stored([]).toArray(), []);
  assertEquals(stored(["", ""]).toArray(), ["", ""]);
});

Deno.test("StringArray.toArray() decodes each string by itself where one is not UTF-8, or a character spans two", () => {
  assertEquals(stored(["ż", [0xc5], "a"]).toArray(), ["ż", "\ufffd", "a"]);
  assertEquals(stored([[0xc5], [0xbc], "a"]).toArray(), ["\ufffd", "\ufffd", "a"]);
  assertEquals(stored([[0xf0, 0x9f], "", [0x91, 0xa9]]).toArray(), ["\ufffd", "", "\ufffd\ufffd"]);
  assertEquals(stored(["\ufffd", "日"]).toArray(), ["\ufffd", "日"]);
});
