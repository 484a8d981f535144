import { addressOf, Arena } from "../../ffi/arena.ts";
import { struct } from "../../ffi/layout.ts";
import { readU32, readU64 } from "../../ffi/read.ts";
import { ptr, u32 } from "../../ffi/types.ts";
import { assert, assertEquals } from "../support/assert.ts";

declare const gc: ((options: { type: "minor" | "major" }) => void) | undefined;

/** The bytes at a native address, as C would see them. */
function at(address: bigint, bytes: number): Uint8Array {
  return new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, bytes));
}

Deno.test("addressOf() is the address of the first byte, also of a view into a larger buffer", () => {
  const memory = new Uint8Array([1, 2, 3, 4, 5]);
  assertEquals([...at(addressOf(memory.subarray(2)), 3)], [3, 4, 5]);
});

Deno.test("addressOf() gives null for an empty array", () => {
  assertEquals(addressOf(new Uint8Array(0)), 0n);
});

Deno.test("Arena aligns what it hands out to 16 bytes and never hands out memory twice", () => {
  using arena = new Arena();
  const pieces = Array.from({ length: 1000 }, (_, i) => arena.alloc(1 + i % 50).fill(i));
  pieces.forEach((piece, i) => {
    assertEquals(arena.keep(piece) % 16n, 0n);
    assert(piece.every((byte) => byte === i % 256), `piece ${i} was overwritten`);
  });
});

Deno.test("Arena gives zeroed memory for requests larger than its slabs", () => {
  using arena = new Arena();
  const big = arena.alloc(100_000);
  assertEquals(big.byteLength, 100_000);
  assert(big.every((byte) => byte === 0));
});

Deno.test("Arena writes the addresses of strings and structs, and null for empty arrays", () => {
  using arena = new Arena();
  const names = arena.strings(["a", "zinc"]);
  const second = readU64(names.subarray(8));
  assertEquals(new TextDecoder().decode(at(second, 5)), "zinc\0");
  const inner = struct("Inner", { value: u32 });
  const outer = struct("Outer", { count: u32, items: ptr, none: ptr });
  const memory = arena.struct(outer, { items: arena.struct(inner, { value: 7 }), none: arena.u64s([]) });
  assertEquals(readU32(at(readU64(memory.subarray(outer.offsets.items)), 4)), 7);
  assertEquals(readU64(memory.subarray(outer.offsets.none)), 0n);
});

Deno.test({
  name:
    "Arena keeps what structs point to alive through forced garbage collection (needs --v8-flags=--expose-gc)",
  ignore: typeof gc !== "function",
  fn() {
    const holder = struct("Holder", { data: ptr });
    for (let round = 0; round < 1000; round++) {
      using arena = new Arena();
      const build = () => arena.struct(holder, { data: new Uint8Array(64).fill(round) });
      const memory = build();
      gc!({ type: round % 50 === 0 ? "major" : "minor" });
      new Uint8Array(64).fill(0xee); // would reuse the memory, had it been freed
      assertEquals([...at(readU64(memory), 64)], new Array(64).fill(round % 256));
    }
  },
});
