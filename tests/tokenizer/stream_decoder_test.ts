/** Text that arrives token by token: no half characters, nothing lost. */
import { createTokenizer, StreamDecoder } from "../../src/tokenizer/mod.ts";
import { assertEquals } from "../support/assert.ts";
import { bytePairMetadata, byteTokens, metadataOf } from "./fixture.ts";

const bytes = createTokenizer(bytePairMetadata([], [["<|im_end|>", 3]]));
const END = 256;

function push(decoder: StreamDecoder, ids: number[]): string[] {
  return ids.map((id) => decoder.push(id));
}

Deno.test("push() holds a character back until its last byte is there", () => {
  const decoder = new StreamDecoder(bytes);
  assertEquals(push(decoder, bytes.encode("a€b")), ["a", "", "", "€", "b"]);
  assertEquals(decoder.flush(), "");
});

Deno.test("push() gives an emoji of several code points out code point by code point", () => {
  const text = push(new StreamDecoder(bytes), bytes.encode("👍🏽"));
  assertEquals(text.filter((part) => part !== ""), ["👍", "🏽"]);
});

Deno.test("push() replaces bytes that are no UTF-8 without losing what follows", () => {
  const decoder = new StreamDecoder(bytes);
  const half = bytes.encode("€").slice(0, 2);
  assertEquals(push(decoder, [...half, ...bytes.encode("ab")]).join(""), "\ufffdab");
});

Deno.test("flush() gives U+FFFD for a character that never became complete", () => {
  const decoder = new StreamDecoder(bytes);
  push(decoder, bytes.encode("€").slice(0, 2));
  assertEquals(decoder.flush(), "\ufffd");
  assertEquals(decoder.flush(), "");
});

Deno.test("push() keeps a leading U+FEFF, which is no byte order mark here", () => {
  const decoder = new StreamDecoder(bytes);
  assertEquals(push(decoder, bytes.encode("\ufeffa")).join(""), "\ufeffa");
  assertEquals(bytes.decode(bytes.encode("\ufeffa\ufeff")), "\ufeffa\ufeff");
});

Deno.test("push() leaves control tokens out, or writes them when asked", () => {
  assertEquals(push(new StreamDecoder(bytes), [END]), [""]);
  assertEquals(push(new StreamDecoder(bytes, { skipSpecial: false }), [END]), ["<|im_end|>"]);
});

Deno.test("push() keeps the first space of a continuation, and drops it at the start of a text", () => {
  const tokens = [...byteTokens(), "▁a"];
  const tokenizer = createTokenizer(
    metadataOf({
      model: "llama",
      tokens,
      token_type: tokens.map((_, i) => i < 256 ? 6 : 1),
      scores: tokens.map(() => 0.5),
    }),
  );
  assertEquals(push(new StreamDecoder(tokenizer), [256, 256]), [" a", " a"]);
  assertEquals(push(new StreamDecoder(tokenizer, { atStart: true }), [256, 256]), ["a", " a"]);
});

Deno.test("tokenBytes() gives the bytes of half characters, piece() shows them as U+FFFD", () => {
  const [first] = bytes.encode("€");
  assertEquals([...bytes.tokenBytes(first)], [0xe2]);
  assertEquals(bytes.piece(first), "\ufffd");
});

Deno.test("tokenBytes() of a special token that is not UTF-8 gives the bytes of the file", () => {
  const metadata = bytePairMetadata([], [["x", 4]]);
  const strings = metadata.strings("tokenizer.ggml.tokens");
  strings.bytes(256)[0] = 0xff; // a view of the file's data
  assertEquals([...createTokenizer(metadata).tokenBytes(256)], [0xff]);
});
