/** One line of a benchmark: what ran where, how long it took, and what follows from that. */
import type { CacheTypes } from "../../kernels/cache_types.ts";
import type { Measurement } from "./measure.ts";
import type { OperationTime } from "./profile.ts";
import { mean, sampleDeviation } from "./statistics.ts";
import { type BenchTest, timedTokens } from "./test_list.ts";

/** The model of a row. */
export interface BenchModel {
  readonly path: string;
  /** In a few words. */
  readonly type: string;
  /** Bytes of all tensors. */
  readonly bytes: number;
  /** Number of weights. */
  readonly parameters: number;
}

/** The device of a row. */
export interface BenchDevice {
  readonly name: string;
  /** Name and version of the driver. */
  readonly driver: string;
  readonly subgroupSize: number;
  readonly cooperativeMatrix: boolean;
  /** What it reads at best, bytes per second. */
  readonly readLimit: number;
}

/** One result. */
export interface BenchRow {
  readonly model: BenchModel;
  /** Absent for the reference executor. */
  readonly device?: BenchDevice;
  readonly ubatch: number;
  /** What keys and values are stored as. */
  readonly cacheTypes: CacheTypes;
  readonly test: BenchTest;
  readonly measurement: Measurement;
  /** Weights and state that a token needs from memory, averaged over the test's tokens. */
  readonly bytesPerToken: number;
  readonly profile?: readonly OperationTime[];
  /** When the test began. */
  readonly time: Date;
}

/** Tokens per second of each repetition. */
export function samplesPerSecond({ measurement, test }: BenchRow): number[] {
  return measurement.samplesNs.map((ns) => timedTokens(test) * 1e9 / ns);
}

/** Mean and deviation of the tokens per second. */
export function speedOf(row: BenchRow): { mean: number; deviation: number } {
  const samples = samplesPerSecond(row);
  return { mean: mean(samples), deviation: sampleDeviation(samples) };
}

/** Bytes per second that the test's mean speed needs. */
export function bytesPerSecond(row: BenchRow): number {
  return row.bytesPerToken * speedOf(row).mean;
}

/** The part of the device's read limit that this is; undefined without a device. */
export function shareOfLimit(row: BenchRow): number | undefined {
  return row.device && bytesPerSecond(row) / row.device.readLimit;
}
