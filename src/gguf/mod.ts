/** The GGUF file format: reading, checking and writing model files. */
export { GgufFile, openGguf, type Shard } from "./reader.ts";
export { Metadata, type MetadataValue, StringArray } from "./metadata.ts";
export { printable, quoted } from "./printable.ts";
export type { TensorInfo } from "./tensor_info.ts";
export type { NumberArray, NumericType, ValueType } from "./value_types.ts";
