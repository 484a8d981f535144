/**
 * Struct layouts as data. `struct("VkMemoryType", { propertyFlags: u32, heapIndex: u32 })` computes offsets by the rules
 * of the C ABI (each field at the next multiple of its alignment, the whole padded to the largest alignment) and gives a
 * writer and a reader. The same rules are GLSL's scalar layout, so push constants are declared this way too.
 */
import { bool32, type Keep, type Type } from "./types.ts";

/** Field name to type, in declaration order. */
export type Fields = Record<string, Type<never, unknown>>;

/** What the writer accepts; fields left out stay zero. */
export type StructInput<F extends Fields> = {
  [K in keyof F]?: F[K] extends Type<infer In, unknown> ? In : never;
};

/** What the reader gives. */
export type StructOutput<F extends Fields> = {
  [K in keyof F]: F[K] extends Type<never, infer Out> ? Out : never;
};

/** The layout of one C struct; itself a type, so structs nest. */
export interface StructLayout<F extends Fields = Fields> extends Type<StructInput<F>, StructOutput<F>> {
  /** Fields in declaration order. */
  readonly fields: F;
  /** `offsetof` of every field. */
  readonly offsets: { readonly [K in keyof F]: number };
  /** `VkStructureType` of a struct that starts with one. */
  readonly sType?: number;
}

/** Options of {@linkcode struct}. */
export interface StructOptions {
  /** Value that is always written to the field `sType`. */
  sType?: number;
}

/** Declares a struct. */
export function struct<F extends Fields>(
  name: string,
  fields: F,
  options: StructOptions = {},
): StructLayout<F> {
  let end = 0;
  let align = 1;
  const offsets: Record<string, number> = {};
  for (const [field, type] of Object.entries(fields)) {
    end = roundUp(end, type.align);
    offsets[field] = end;
    end += type.bytes;
    align = Math.max(align, type.align);
  }
  const writeField = (view: DataView, at: number, field: string, value: unknown, keep: Keep) => {
    const type = fields[field] as Type<unknown> | undefined;
    if (type === undefined) throw new TypeError(`${name} has no field "${field}"`);
    try {
      type.write(view, at + offsets[field], value, keep);
    } catch (cause) {
      throw new RangeError(`Cannot write ${name}.${field}: ${(cause as Error).message}`, { cause });
    }
  };
  return {
    name,
    fields,
    sType: options.sType,
    bytes: roundUp(end, align),
    align,
    offsets: offsets as { [K in keyof F]: number },
    write(view, at, values, keep) {
      if (options.sType !== undefined) writeField(view, at, "sType", options.sType, keep);
      for (const field in values) {
        if (values[field] !== undefined) writeField(view, at, field, values[field], keep);
      }
    },
    read(view, at) {
      const values: Record<string, unknown> = {};
      for (const field in fields) values[field] = fields[field].read(view, at + offsets[field]);
      return values as StructOutput<F>;
    },
  };
}

/** A run of `VkBool32` fields, as Vulkan's feature structs have them. */
export function bools<const N extends string>(...names: N[]): Record<N, Type<boolean>> {
  return Object.fromEntries(names.map((name) => [name, bool32])) as Record<N, Type<boolean>>;
}

/** The smallest multiple of `align` that is not below `value`; exact for every safe integer. */
function roundUp(value: number, align: number): number {
  return Math.ceil(value / align) * align;
}
