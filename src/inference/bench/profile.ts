/** Where the device's time goes: the dispatches of one step, put together by what they do in every layer. */
import type { LabelTime } from "../../vulkan/mod.ts";
import type { Subject } from "./subject.ts";

/** One kind of operation in one step. */
export interface OperationTime {
  /** The label of its dispatches without the number of the layer: `ffn_down.weight`. */
  readonly operation: string;
  readonly dispatches: number;
  /** Device time, µs. */
  readonly us: number;
}

/** Steps that are averaged, after one that is not. */
const STEPS = 5;

/** Profiles a step of `tokens` tokens at the position where the subject was marked. Undefined where there are no timestamps. */
export async function profileStep(
  subject: Subject,
  position: number,
  tokens: number,
): Promise<OperationTime[] | undefined> {
  if (!subject.profile) return undefined;
  const steps: LabelTime[][] = [];
  for (let step = 0; step <= STEPS; step++) {
    await subject.rewind();
    steps.push(await subject.profile(position, tokens));
  }
  return operationTimes(steps.slice(1));
}

/** Sums the times of each step's dispatches by operation and averages over the steps; the longest first. */
export function operationTimes(steps: readonly (readonly LabelTime[])[]): OperationTime[] {
  const sums = new Map<string, { dispatches: number; ns: number }>();
  for (const { label, ns } of steps.flat()) {
    const operation = label.replace(/^blk\.\d+\./, "");
    const sum = sums.get(operation) ?? { dispatches: 0, ns: 0 };
    sums.set(operation, { dispatches: sum.dispatches + 1, ns: sum.ns + ns });
  }
  return Array.from(sums, ([operation, { dispatches, ns }]) => ({
    operation,
    dispatches: dispatches / steps.length,
    us: ns / 1000 / steps.length,
  })).sort((a, b) => b.us - a.us);
}
