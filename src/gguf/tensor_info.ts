/**
 * Where each tensor's data lies, and the proof that it lies inside its file: read before anything is allocated or
 * uploaded, so that an incomplete download is an error and never a model full of zeros.
 */
import type { FormatName } from "../quant/format.ts";
import { cannotRead, quoted } from "./errors.ts";
import type { Header } from "./header.ts";

/** A tensor of a model. */
export interface TensorInfo {
  /** Unique in the model. */
  readonly name: string;
  /** Undefined where zinc does not know the type: such a tensor can be listed, not used. */
  readonly format?: FormatName;
  /** The type id in the file (`enum ggml_type`). */
  readonly ggmlType: number;
  /** Extents in ggml's order: `dims[0]` is the row length, the number of columns of a matrix. */
  readonly dims: readonly number[];
  /** Product of all extents. */
  readonly elements: number;
  /** Bytes of the data; where the type is unknown, the room up to the next tensor. */
  readonly bytes: number;
  /** Index of the file that holds it, 0 unless the model is split. */
  readonly shard: number;
  /** Where the data starts in that file. */
  readonly fileOffset: number;
}

/** Places the tensors of one file of `size` bytes. Throws `UserError` where one lies outside or two overlap. */
export function placeTensors(path: string, header: Header, size: number, shard: number): TensorInfo[] {
  const byOffset = header.table.toSorted((a, b) => a.offset - b.offset);
  const last = lastToEnd(header);
  if (last && last.end > size) {
    throw cannotRead(
      path,
      `the file is incomplete: tensor ${quoted(last.name)} ends at byte ${last.end}, ` +
        `but the file has ${size} bytes; download it again`,
    );
  }
  const room = new Map<string, number>();
  let previous: { name: string; end: number } = { name: "", end: 0 };
  byOffset.forEach((entry, i) => {
    if (entry.offset < previous.end && entry.bytes !== 0) {
      throw cannotRead(
        path,
        `tensors ${quoted(previous.name)} and ${quoted(entry.name)} overlap; the file is damaged`,
      );
    }
    const next = byOffset[i + 1]?.offset ?? Math.max(entry.offset, size - header.dataStart);
    room.set(entry.name, next - entry.offset);
    const end = entry.offset + (entry.bytes ?? 0);
    if (end > previous.end) previous = { name: entry.name, end };
  });
  return header.table.map(({ offset, ...entry }) => ({
    ...entry,
    bytes: entry.bytes ?? room.get(entry.name)!,
    shard,
    fileOffset: header.dataStart + offset,
  }));
}

/** The tensor that ends last, and where. */
function lastToEnd(header: Header): { name: string; end: number } | undefined {
  let last: { name: string; end: number } | undefined;
  for (const entry of header.table) {
    // Both terms are below 2^53; a sum that is no longer exact is still larger than any file.
    const end = header.dataStart + entry.offset + (entry.bytes ?? 0);
    if (!last || end > last.end) last = { name: entry.name, end };
  }
  return last;
}
