/**
 * Memory for the arguments of one native call.
 *
 * A buffer whose address was written into a struct is invisible to the garbage collector. An arena therefore owns
 * everything that a call points to, and lives until the call is done: `using arena = new Arena()`. Its memory is never
 * handed out twice, so it is always zero at first.
 */
import type { Fields, StructInput, StructLayout } from "./layout.ts";

const SLAB_BYTES = 4096;
const ALIGN = 16;

/** The address of the first byte of `memory`. The caller keeps `memory` alive while the address is in use. */
export function addressOf(memory: Uint8Array): bigint {
  if (memory.byteLength === 0) return 0n; // Deno would hand out a pointer that means nothing
  // Reading `.buffer` makes V8 move a small array out of its movable heap for good.
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(new Uint8Array(memory.buffer as ArrayBuffer))) +
    BigInt(memory.byteOffset);
}

/** Owner of structs, arrays and strings that a native call points to. */
export class Arena implements Disposable {
  #slab = new ArrayBuffer(SLAB_BYTES);
  #slabAddress = bufferAddress(this.#slab);
  #used = 0;
  #kept: Uint8Array[] = [];
  #addresses = new Map<ArrayBufferLike, bigint>([[this.#slab, this.#slabAddress]]);

  /** Zeroed memory, aligned to 16 bytes. */
  alloc(bytes: number): Uint8Array {
    const size = Math.ceil(bytes / ALIGN) * ALIGN;
    if (this.#used + size > this.#slab.byteLength) {
      this.#slab = new ArrayBuffer(Math.max(SLAB_BYTES, size));
      this.#addresses.set(this.#slab, bufferAddress(this.#slab));
      this.#used = 0;
    }
    const memory = new Uint8Array(this.#slab, this.#used, bytes);
    this.#used += size;
    return memory;
  }

  /** The address of `memory`, which lives as long as the arena. Null for an empty array. */
  readonly keep = (memory: Uint8Array): bigint => {
    if (memory.byteLength === 0) return 0n;
    const known = this.#addresses.get(memory.buffer);
    if (known !== undefined) return known + BigInt(memory.byteOffset);
    this.#kept.push(memory);
    return addressOf(memory);
  };

  /** A struct with the given fields; the others are zero. */
  struct<F extends Fields>(layout: StructLayout<F>, values: StructInput<F> = {}): Uint8Array {
    return this.structs(layout, [values]);
  }

  /** An array of structs. Empty memory for no values: pass it with a count of 0. */
  structs<F extends Fields>(layout: StructLayout<F>, values: StructInput<F>[]): Uint8Array {
    const memory = this.alloc(layout.bytes * values.length);
    const view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
    values.forEach((value, i) => layout.write(view, i * layout.bytes, value, this.keep));
    return memory;
  }

  /** A NUL-terminated UTF-8 string. */
  string(text: string): Uint8Array {
    const encoded = new TextEncoder().encode(text);
    const memory = this.alloc(encoded.length + 1);
    memory.set(encoded);
    return memory;
  }

  /** `const char* const*`. */
  strings(texts: string[]): Uint8Array {
    return this.u64s(texts.map((text) => this.keep(this.string(text))));
  }

  /** `const uint64_t*` or an array of handles. */
  u64s(values: bigint[]): Uint8Array {
    const memory = this.alloc(values.length * 8);
    const view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
    values.forEach((value, i) => view.setBigUint64(i * 8, value, true));
    return memory;
  }

  /** Lets everything go. Being a use of the arena at the end of its scope, it also keeps it alive until there. */
  [Symbol.dispose](): void {
    this.#kept.length = 0;
    this.#addresses.clear();
  }
}

function bufferAddress(buffer: ArrayBuffer): bigint {
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer));
}
