/** Times what a command buffer holds, for the programs that measure kernels. */
import type { CommandBuffer, Device } from "../src/vulkan/mod.ts";

/** A submission lasts about this long, so that its start and end do not count. */
const SUBMISSION_MS = 20;
const ROUNDS_MAX = 64;
const SAMPLES = 7;
/** Time that a GPU is kept busy before the first sample, so that its clocks are up. */
const WARM_UP_MS = 300;

/** What {@linkcode timeRounds} found. */
export interface Rounds {
  /** Time of one run of the commands, µs: a sample for each submission. */
  readonly samples: number[];
  /** How often the commands ran, those that do not count included. */
  readonly runs: number;
}

/** Runs `commands` over and over, as often in a submission as takes some 20 ms. */
export async function timeRounds(device: Device, commands: CommandBuffer): Promise<Rounds> {
  let runs = 0;
  const time = async (rounds: number) => {
    runs += rounds;
    const start = performance.now();
    await device.wait(device.submit(Array.from({ length: rounds }, () => commands)));
    return performance.now() - start;
  };
  const warm = performance.now() + (device.info.isCpu ? 0 : WARM_UP_MS);
  let roundMs: number;
  do roundMs = await time(1); while (performance.now() < warm);
  const rounds = Math.min(ROUNDS_MAX, Math.ceil(SUBMISSION_MS / roundMs));
  const samples: number[] = [];
  while (samples.length < SAMPLES) samples.push(await time(rounds) * 1000 / rounds);
  return { samples, runs };
}

/** The middle one of an odd number of samples, the upper of the two in the middle of an even number. */
export function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1];
}
