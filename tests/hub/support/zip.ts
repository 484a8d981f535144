/** Writes zip files as a wheel builder would: stored members, enough for reading them back. */
import { crc32 } from "node:zlib";

/** A zip file with `members` (path: content), nothing compressed. */
export function zipFile(members: Record<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(members)) {
    const name = encoder.encode(path);
    // Version, flags, method, time, date, CRC, packed size, size, name length, extra length.
    const common = [
      [2, 20],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 0x21],
      [4, crc32(content)],
      [4, content.length],
      [4, content.length],
      [2, name.length],
      [2, 0],
    ];
    const local = fields([[4, 0x04034b50], ...common]);
    directory.push(
      fields([[4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]),
      name,
    );
    parts.push(local, name, content);
    offset += local.length + name.length + content.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = Object.keys(members).length;
  const end = fields([[4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [
    2,
    0,
  ]]);
  return concat([...parts, ...directory, end]);
}

/** Little-endian fields given as `[bytes, value]`. */
function fields(list: readonly (readonly number[])[]): Uint8Array {
  const bytes = new Uint8Array(list.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let offset = 0;
  for (const [width, value] of list) {
    if (width === 4) view.setUint32(offset, value, true);
    else view.setUint16(offset, value, true);
    offset += width;
  }
  return bytes;
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}
