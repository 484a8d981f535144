/** The GGUF file format: reading, checking and writing model files. */
export { GgufFile, openGguf, type Shard } from "./reader.ts";
export { Metadata, type MetadataValue, type StoredValue, StringArray } from "./metadata.ts";
export { whyNotGguf } from "./sniff.ts";
export type { TensorInfo } from "./tensor_info.ts";
export {
  type NumberArray,
  type NumericType,
  type ScalarType,
  VALUE_TYPES,
  type ValueType,
} from "./value_types.ts";
export {
  type EntryType,
  type GgufContents,
  type MetadataEntry,
  type Scalar,
  type TensorData,
  writeGguf,
} from "./writer.ts";
