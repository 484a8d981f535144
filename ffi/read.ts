/** Reading what native code wrote into memory of ours. */
import { Arena } from "./arena.ts";
import type { Fields, StructLayout, StructOutput } from "./layout.ts";

/** The `uint32_t` at the start of `memory`. */
export function readU32(memory: Uint8Array): number {
  return new DataView(memory.buffer, memory.byteOffset, memory.byteLength).getUint32(0, true);
}

/** The `uint64_t` or handle at the start of `memory`. */
export function readU64(memory: Uint8Array): bigint {
  return new DataView(memory.buffer, memory.byteOffset, memory.byteLength).getBigUint64(0, true);
}

/** Reads a struct from the start of `memory`. */
export function readStruct<F extends Fields>(layout: StructLayout<F>, memory: Uint8Array): StructOutput<F> {
  return layout.read(new DataView(memory.buffer, memory.byteOffset, memory.byteLength), 0);
}

/** Reads `count` structs. */
export function readStructs<F extends Fields>(
  layout: StructLayout<F>,
  memory: Uint8Array,
  count: number,
): StructOutput<F>[] {
  const view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
  return Array.from({ length: count }, (_, i) => layout.read(view, i * layout.bytes));
}

/** A list of structs from a function that is called twice: for the count, then for the content. */
export function enumerate<F extends Fields>(
  layout: StructLayout<F>,
  call: (count: Uint8Array, content: Uint8Array | null) => void,
): StructOutput<F>[] {
  using arena = new Arena();
  const count = arena.alloc(4);
  call(count, null);
  if (readU32(count) === 0) return [];
  // The layouts write their sType, which functions that fill extensible structs want to find there.
  const content = arena.structs(layout, new Array(readU32(count)).fill({}));
  call(count, content);
  return readStructs(layout, content, readU32(count));
}
