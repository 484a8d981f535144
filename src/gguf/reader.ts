/**
 * Opens a model: one GGUF file, or all parts of a split one. The header is read and checked at once; tensor data stays
 * in the file and is read by position, piece by piece, so that the size of a model never becomes memory.
 */
import { assert } from "../common/assert.ts";
import { cannotRead, quoted } from "./errors.ts";
import { type Header, readHeader } from "./header.ts";
import { HeaderReader } from "./header_reader.ts";
import type { Metadata } from "./metadata.ts";
import { readAt } from "./positioned_read.ts";
import { checkPart, partPaths, splitKeys } from "./shards.ts";
import { openChecked } from "./sniff.ts";
import { placeTensors, type TensorInfo } from "./tensor_info.ts";

/** One file of a model. */
export interface Shard {
  /** As given, or beside the part that was given. */
  readonly path: string;
  /** Bytes of the file. */
  readonly size: number;
}

/** An open file and what its header says. */
interface OpenShard extends Shard {
  readonly file: Deno.FsFile;
  readonly header: Header;
}

/** An open model. Dispose it to close its files. */
export class GgufFile implements Disposable {
  /** The path that was given. */
  readonly path: string;
  /** GGUF version of the first part. */
  readonly version: number;
  /** Metadata of the first part. */
  readonly metadata: Metadata;
  /** All tensors by name, in file order. */
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  /** The files, in the order of their numbers. */
  readonly shards: readonly Shard[];
  readonly #files: Deno.FsFile[];

  /** For {@linkcode openGguf}, which checks what it passes. */
  constructor(path: string, shards: readonly OpenShard[], tensors: ReadonlyMap<string, TensorInfo>) {
    this.path = path;
    this.version = shards[0].header.version;
    this.metadata = shards[0].header.metadata;
    this.tensors = tensors;
    this.shards = shards.map(({ path, size }) => ({ path, size }));
    this.#files = shards.map(({ file }) => file);
  }

  /**
   * Reads `into.length` bytes of a tensor's data, from byte `offset` of it on.
   * Throws `UserError` where the file cannot be read (any more).
   */
  readTensor(info: TensorInfo, into: Uint8Array, offset = 0): void {
    assert(
      offset >= 0 && offset + into.length <= info.bytes,
      `${info.name}: bytes beyond the tensor's ${info.bytes}`,
    );
    const { path } = this.shards[info.shard];
    const count = readAt(this.#files[info.shard], path, info.fileOffset + offset, into);
    if (count < into.length) {
      throw cannotRead(
        path,
        `it ended inside tensor ${quoted(info.name)}; was it changed while it was open?`,
      );
    }
  }

  /** Closes all files. */
  [Symbol.dispose](): void {
    for (const file of this.#files.splice(0)) file.close();
  }
}

/**
 * Opens a model; `path` names its file, or any part of a split model.
 * Throws `UserError` with the field and its byte where the file is not a sound GGUF file.
 */
export function openGguf(path: string): GgufFile {
  using opened = new DisposableStack();
  const first = openShard(path, opened);
  const split = splitKeys(first.header.metadata);
  const paths = split.count === 1 ? [path] : partPaths(path, split);
  const shards = paths.map((part, i) => (i === split.no ? first : openShard(part, opened)));
  const tensors = new Map<string, TensorInfo>();
  for (const [i, shard] of shards.entries()) {
    if (split.count > 1) checkPart(shard.path, shard.header.metadata, i, split);
    for (const info of placeTensors(shard.path, shard.header, shard.size, i)) {
      if (tensors.has(info.name)) {
        throw cannotRead(shard.path, `tensor ${quoted(info.name)} is also in another part`);
      }
      tensors.set(info.name, info);
    }
  }
  if (split.tensors !== undefined && tensors.size !== split.tensors) {
    throw cannotRead(
      path,
      `the parts hold ${tensors.size} tensors, ` +
        `but key "split.tensors.count" says ${split.tensors}`,
    );
  }
  opened.move(); // from here on the files belong to the model
  return new GgufFile(path, shards, tensors);
}

function openShard(path: string, opened: DisposableStack): OpenShard {
  const { file, size } = openChecked(path);
  opened.defer(() => file.close());
  return { path, size, file, header: readHeader(new HeaderReader(file, path, size)) };
}
