/** Copies of golden models with something changed: what tests of refusals and of rare settings need. */
import { openGguf, type TensorInfo } from "../../src/gguf/mod.ts";
import {
  type EntryType,
  type MetadataEntry,
  type Scalar,
  type TensorData,
  writeGguf,
} from "../../src/gguf/writer.ts";
import { decodeTensor, encodeTensor, type FormatName } from "../../src/quant/formats.ts";
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
  /** The format to store a tensor of the file in; undefined leaves it as it is. */
  readonly reformat?: (info: TensorInfo) => FormatName | undefined;
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
      const format = change.reformat?.(info) ?? info.format;
      const { name, dims } = info;
      if (format === info.format) return { name, format, dims, data };
      return {
        name,
        format,
        dims,
        data: encodeTensor(format, decodeTensor(info.format, data, info.elements)),
      };
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
