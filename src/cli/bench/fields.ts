/** A result as the object of `-o json`: llama-bench's names where they mean the same, zinc's own behind them. */
import type { OperationTime } from "../../inference/bench/profile.ts";
import {
  type BenchRow,
  bytesPerSecond,
  samplesPerSecond,
  shareOfLimit,
  speedOf,
} from "../../inference/bench/row.ts";
import { mean, sampleDeviation } from "../../inference/bench/statistics.ts";
import { testName } from "../../inference/bench/test_list.ts";

/** The object; null where something was not measured. */
export interface RowFields {
  readonly build: string;
  readonly backends: string;
  readonly device: string | null;
  readonly driver: string | null;
  readonly subgroup_size: number | null;
  readonly cooperative_matrix: boolean | null;
  readonly model_filename: string;
  readonly model_type: string;
  readonly model_size: number;
  readonly model_n_params: number;
  readonly n_ubatch: number;
  readonly type_k: string;
  readonly type_v: string;
  readonly n_prompt: number;
  readonly n_gen: number;
  readonly n_depth: number;
  readonly test: string;
  readonly test_time: string;
  readonly avg_ns: number;
  readonly stddev_ns: number;
  readonly avg_ts: number;
  readonly stddev_ts: number;
  readonly samples_ns: readonly number[];
  readonly samples_ts: readonly number[];
  readonly bytes_per_token: number;
  readonly gb_per_s: number;
  readonly limit_gb_per_s: number | null;
  readonly share_of_limit: number | null;
  readonly dispatches_per_token: number | null;
  readonly barriers_per_token: number | null;
  readonly submissions_per_token: number | null;
  readonly host_us_per_token: number | null;
  readonly profile?: readonly { operation: string; dispatches: number; us: number }[];
}

/** The fields of `row`, in the order in which they are written. */
export function rowFields(row: BenchRow, version: string): RowFields {
  const { model, device, test, measurement: { samplesNs, cost } } = row;
  const speed = speedOf(row);
  return {
    build: version,
    backends: backendOf(row),
    device: device?.name ?? null,
    driver: device?.driver ?? null,
    subgroup_size: device?.subgroupSize ?? null,
    cooperative_matrix: device?.cooperativeMatrix ?? null,
    model_filename: model.path,
    model_type: model.type,
    model_size: model.bytes,
    model_n_params: model.parameters,
    n_ubatch: row.ubatch,
    type_k: row.cacheTypes.keys,
    type_v: row.cacheTypes.values,
    n_prompt: test.prompt,
    n_gen: test.generate,
    n_depth: test.depth,
    test: testName(test),
    test_time: row.time.toISOString().replace(/\.\d+Z$/, "Z"),
    avg_ns: Math.round(mean(samplesNs)),
    stddev_ns: Math.round(sampleDeviation(samplesNs)),
    avg_ts: speed.mean,
    stddev_ts: speed.deviation,
    samples_ns: samplesNs,
    samples_ts: samplesPerSecond(row),
    bytes_per_token: Math.round(row.bytesPerToken),
    gb_per_s: bytesPerSecond(row) / 1e9,
    limit_gb_per_s: device ? device.readLimit / 1e9 : null,
    share_of_limit: shareOfLimit(row) ?? null,
    dispatches_per_token: cost?.dispatches ?? null,
    barriers_per_token: cost?.barriers ?? null,
    submissions_per_token: cost?.submissions ?? null,
    host_us_per_token: cost?.hostUs ?? null,
    ...(row.profile ? { profile: row.profile.map(operationFields) } : {}),
  };
}

/** What llama-bench calls the backend. */
export function backendOf(row: BenchRow): string {
  return row.device ? "Vulkan" : "reference";
}

function operationFields({ operation, dispatches, us }: OperationTime) {
  return { operation, dispatches, us };
}
