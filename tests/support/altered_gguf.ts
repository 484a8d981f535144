/** Copies of golden models with something changed: what tests of refusals and of rare settings need. */
import { openGguf } from "../../src/gguf/mod.ts";
import {
  type EntryType,
  type MetadataEntry,
  type Scalar,
  type TensorData,
  writeGguf,
} from "../../src/gguf/writer.ts";
import { assert } from "./assert.ts";

/** What to change; keys stand as in the file, with the architecture's name. */
export interface Alteration {
  /** New or replaced entries. */
  readonly set?: readonly MetadataEntry[];
  /** Keys to leave out. */
  readonly unset?: readonly string[];
  /** Tensors to leave out. */
  readonly drop?: readonly string[];
  /** New or replaced float32 tensors. */
  readonly add?: readonly {
    readonly name: string;
    readonly dims: readonly number[];
    readonly values: Float32Array;
  }[];
}

/** Writes a changed copy of the file `source` to `path`. */
export function alterGguf(source: string, path: string, change: Alteration): void {
  using file = openGguf(source);
  const replaced = new Set([...(change.set ?? []).map(([key]) => key), ...(change.unset ?? [])]);
  const kept = file.metadata.keys().filter((key) => !replaced.has(key));
  const gone = new Set([...(change.drop ?? []), ...(change.add ?? []).map(({ name }) => name)]);
  const tensors: TensorData[] = [...file.tensors.values()].filter(({ name }) => !gone.has(name)).map(
    (info) => {
      assert(info.format !== undefined, `${info.name} has a known type`);
      const data = new Uint8Array(info.bytes);
      file.readTensor(info, data);
      return { name: info.name, format: info.format, dims: info.dims, data };
    },
  );
  for (const { name, dims, values } of change.add ?? []) {
    tensors.push({ name, format: "f32", dims, data: new Uint8Array(values.buffer) });
  }
  const metadata = kept.map((key): MetadataEntry => {
    const type = file.metadata.type(key)!;
    const entryType = type === "array" ? `${file.metadata.elementType(key)!}[]` : type;
    return [key, entryType as EntryType, file.metadata.get(key) as Scalar | Iterable<Scalar>];
  });
  writeGguf(path, { metadata: [...metadata, ...(change.set ?? [])], tensors });
}
