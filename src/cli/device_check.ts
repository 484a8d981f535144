/** The lines of `zinc check`: from the driver up to the kernels. */
import { versionText } from "../../ffi/enums.ts";
import { formatBytes } from "../common/byte_size.ts";
import { type CaseResult, selfTest } from "../inference/self_test/self_test.ts";
import { type Adapter, chooseAdapter, Device, Instance, noDriver } from "../vulkan/mod.ts";

/** How a check came out. */
export type Verdict = "OK" | "WARN" | "FAIL";

/** One line. */
export interface CheckLine {
  /** How it came out. */
  readonly verdict: Verdict;
  /** What was checked. */
  readonly name: string;
  /** What was found. */
  readonly detail: string;
}

/** Checks the device that `selection` names, the default one without. Throws `UserError` when there is none. */
export async function* checkDevice(selection: string | undefined): AsyncGenerator<CheckLine> {
  const adapters = Instance.ofProcess().adapters();
  if (adapters.length === 0) throw noDriver();
  const adapter = chooseAdapter(adapters, selection);
  yield* describeAdapter(adapter);
  if (adapter.missing.length > 0) return;
  await using device = Device.create(adapter);
  for await (const result of selfTest(device)) {
    yield { verdict: result.ok ? "OK" : "FAIL", name: result.name, detail: errorText(result) };
  }
}

function errorText({ error, tolerance, problem }: CaseResult): string {
  if (problem) return problem;
  return tolerance === 0
    ? ""
    : `largest error ${error.toExponential(1)}, allowed ${tolerance.toExponential(1)}`;
}

/** Lines about what the driver reports; exported for tests. */
export function* describeAdapter(adapter: Adapter): Generator<CheckLine> {
  const version = `Vulkan ${versionText(adapter.apiVersion)}`;
  yield { verdict: "OK", name: "driver", detail: `${adapter.driverName} ${adapter.driverInfo}, ${version}` };
  yield adapter.type === "cpu"
    ? { verdict: "WARN", name: "device", detail: `${adapter.name} is a CPU: everything works, slowly` }
    : { verdict: "OK", name: "device", detail: `${adapter.name} (${adapter.type})` };
  yield adapter.missing.length > 0
    ? { verdict: "FAIL", name: "required features", detail: `missing: ${adapter.missing.join(", ")}` }
    : { verdict: "OK", name: "required features", detail: "all there" };
  yield { verdict: "OK", name: "optional features", detail: optionalFeatures(adapter) };
  const { size, min, max } = adapter.subgroup;
  yield {
    verdict: "OK",
    name: "subgroup",
    detail: min === max ? `${size} lanes` : `${size} lanes, ${min} to ${max} on request`,
  };
  const { free, total } = adapter.memoryBudget();
  yield {
    verdict: free > 0 ? "OK" : "WARN",
    name: "memory",
    detail: `${formatBytes(free)} of ${formatBytes(total)} free`,
  };
}

function optionalFeatures(adapter: Adapter): string {
  const all: [string, boolean][] = [
    ["cooperative matrix", adapter.coopmatShapes.length > 0],
    ["integer dot product", adapter.features.shaderIntegerDotProduct],
    ["subgroup size control", adapter.features.subgroupSizeControl],
  ];
  return all.map(([name, there]) => `${name}: ${there ? "yes" : "no"}`).join(", ");
}
