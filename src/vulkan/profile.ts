/** GPU timestamps before and after every dispatch of one command buffer. */
import { Arena } from "../../ffi/arena.ts";
import { PIPELINE_STAGE, QUERY_RESULT } from "../../ffi/enums.ts";
import type { Device } from "./device.ts";
import { check } from "./result.ts";

/** Device time of one dispatch. */
export interface LabelTime {
  /** Label of the dispatch. */
  label: string;
  /** Nanoseconds. */
  ns: number;
}

/** Queries of one pool; more dispatches get more pools. */
const POOL_QUERIES = 512;

/** The queries of one command buffer. */
export class Profile implements Disposable {
  readonly #device: Device;
  readonly #commands: bigint;
  readonly #pools: bigint[] = [];
  readonly #labels: string[] = [];

  /** For the command buffer `commands`, which is being recorded. */
  constructor(device: Device, commands: bigint) {
    this.#device = device;
    this.#commands = commands;
  }

  /** Records the timestamp before a dispatch. */
  begin(): void {
    const query = (this.#labels.length * 2) % POOL_QUERIES;
    if (query === 0) this.#addPool();
    this.#stamp(query);
  }

  /** Records the timestamp after a dispatch, which waits for its end. */
  end(label: string): void {
    this.#stamp((this.#labels.length * 2 + 1) % POOL_QUERIES);
    this.#labels.push(label);
  }

  /** Times of the latest run, which must be complete. */
  read(): LabelTime[] {
    const { vk, handle, info } = this.#device;
    const ticks = this.#pools.flatMap((pool, i) => {
      const count = Math.min(POOL_QUERIES, this.#labels.length * 2 - i * POOL_QUERIES);
      using arena = new Arena();
      const memory = arena.alloc(count * 8);
      check(
        vk.vkGetQueryPoolResults(
          handle,
          pool,
          0,
          count,
          BigInt(memory.byteLength),
          memory,
          8n,
          QUERY_RESULT.U64,
        ),
        "read timestamps",
      );
      return Array.from(new BigUint64Array(memory.buffer, memory.byteOffset, count));
    });
    const mask = (1n << BigInt(info.timestampBits)) - 1n;
    return this.#labels.map((label, i) => ({
      label,
      ns: Number((ticks[i * 2 + 1] - ticks[i * 2]) & mask) * info.timestampPeriodNs,
    }));
  }

  /** Destroys the queries. */
  [Symbol.dispose](): void {
    for (const pool of this.#pools.splice(0)) this.#device.destroyQueryPool(pool);
  }

  #stamp(query: number): void {
    const { vk } = this.#device;
    vk.vkCmdWriteTimestamp(this.#commands, PIPELINE_STAGE.BOTTOM_OF_PIPE, this.#pools.at(-1)!, query);
  }

  #addPool(): void {
    const pool = this.#device.createQueryPool(POOL_QUERIES);
    this.#pools.push(pool);
    this.#device.vk.vkCmdResetQueryPool(this.#commands, pool, 0, POOL_QUERIES);
  }
}
