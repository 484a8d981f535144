/** Graph building for recurrent layers: the checks and shapes of their operations. */
import { assert } from "../common/assert.ts";
import type { Activation } from "../kernels/activations.ts";
import type { DeltaNetNode } from "../kernels/delta_net.ts";
import type { StateSlot, Value, Weight } from "../kernels/operation.ts";
import type { SelectiveScanNode } from "../kernels/selective_scan.ts";
import type { StateSpaceScanNode } from "../kernels/state_space_scan.ts";
import type { Wkv7Node } from "../kernels/wkv7.ts";
import type { GraphBuilder } from "./builder.ts";

/** How a short convolution is finished; gates multiply its input and its output. */
export interface ShortConvolutionOptions {
  readonly bias?: Weight;
  readonly activation?: Activation;
  readonly gates?: { readonly before: Value; readonly after: Value };
}

/** Causal convolution of each channel: `weight [channels, kernel]`. */
export function shortConvolution(
  graph: GraphBuilder,
  x: Value,
  weight: Weight,
  state: StateSlot,
  options: ShortConvolutionOptions = {},
): Value {
  assert(weight.rows === x.width, `${weight.name}: ${weight.rows} channels, ${x.name} has ${x.width}`);
  assert(state.width === weight.columns * x.width, `${state.name}: width ${state.width}`);
  const { bias, activation = "none", gates } = options;
  const y = graph.value(weight.name, x.rows, x.width);
  const inputs: readonly [Value] | readonly [Value, Value, Value] = gates
    ? [x, gates.before, gates.after]
    : [x];
  graph.add({ op: "short_convolution", inputs, outputs: [y], weight, bias, activation, state });
  return y;
}

/** Mamba's scan over `x`, gated; `[rows, channels]`. */
export function selectiveScan(
  graph: GraphBuilder,
  inputs: { x: Value; dt: Value; b: Value; c: Value; gate: Value },
  parameters: Pick<SelectiveScanNode, "decay" | "skip" | "state">,
): Value {
  const { x, dt, b, c, gate } = inputs;
  const { decay, state } = parameters;
  assert(decay.rows === x.width && decay.columns === b.width, `${decay.name}: shape`);
  assert(state.width === x.width * b.width, `${state.name}: width ${state.width}`);
  const y = graph.value(`scan(${x.name})`, x.rows, x.width);
  graph.add({ op: "selective_scan", inputs: [x, dt, b, c, gate], outputs: [y], ...parameters });
  return y;
}

/** Mamba-2's scan over `x`, `B` and `C` side by side, gated; `[rows, gate width]`. */
export function stateSpaceScan(
  graph: GraphBuilder,
  inputs: { xbc: Value; dt: Value; gate: Value },
  parameters: Pick<
    StateSpaceScanNode,
    "decay" | "dtBias" | "skip" | "heads" | "groups" | "stateSize" | "state"
  >,
): Value {
  const { xbc, dt, gate } = inputs;
  const { heads, groups, stateSize, state } = parameters;
  assert(xbc.width === gate.width + 2 * groups * stateSize, `${xbc.name}: width ${xbc.width}`);
  assert(
    gate.width % heads === 0 && heads % groups === 0 && dt.width === heads,
    `${dt.name}: ${heads} heads`,
  );
  assert(state.width === gate.width * stateSize, `${state.name}: width ${state.width}`);
  const y = graph.value(`scan(${xbc.name})`, xbc.rows, gate.width);
  graph.add({ op: "state_space_scan", inputs: [xbc, dt, gate], outputs: [y], ...parameters });
  return y;
}

/** The gated delta net, normalised and gated; `[rows, gate width]`. */
export function deltaNet(
  graph: GraphBuilder,
  inputs: { qkv: Value; alpha: Value; beta: Value; gate: Value },
  parameters: Omit<DeltaNetNode, "op" | "inputs" | "outputs">,
): Value {
  const { qkv, alpha, beta, gate } = inputs;
  const { keyHeads, valueHeads, keyDim, state } = parameters;
  assert(
    valueHeads % keyHeads === 0 && gate.width % valueHeads === 0,
    `${valueHeads} value heads, ${keyHeads} key heads`,
  );
  assert(qkv.width === 2 * keyHeads * keyDim + gate.width, `${qkv.name}: width ${qkv.width}`);
  assert(state.width === keyDim * gate.width, `${state.name}: width ${state.width}`);
  const y = graph.value(`delta_net(${qkv.name})`, qkv.rows, gate.width);
  graph.add({ op: "delta_net", inputs: [qkv, alpha, beta, gate], outputs: [y], ...parameters });
  return y;
}

/** Blends of each token with the one before it, one per row of `mix`, as separate values. */
export function tokenShift(graph: GraphBuilder, x: Value, mix: Weight, state: StateSlot): Value[] {
  assert(mix.columns === x.width && state.width === x.width, `${mix.name}: ${mix.columns} for ${x.name}`);
  const y = graph.value(mix.name, x.rows, mix.rows * x.width);
  graph.add({ op: "token_shift", inputs: [x], outputs: [y], mix, state });
  return Array.from({ length: mix.rows }, (_, i) => graph.columns(y, i * x.width, x.width));
}

/** `a + t * (b - a)`. */
export function blend(graph: GraphBuilder, a: Value, b: Value, t: Value): Value {
  assert(a.width === b.width && a.width === t.width, `${a.name}, ${b.name} and ${t.name} differ in width`);
  const y = graph.value(`blend(${a.name})`, a.rows, a.width);
  graph.add({ op: "blend", inputs: [a, b, t], outputs: [y] });
  return y;
}

/** RWKV-7's time mixing; `[rows, width]`. */
export function wkv7(
  graph: GraphBuilder,
  inputs: { r: Value; decay: Value; k: Value; v: Value; a: Value; gate: Value },
  parameters: Omit<Wkv7Node, "op" | "inputs" | "outputs">,
): Value {
  const { r, decay, k, v, a, gate } = inputs;
  const { headDim, state } = parameters;
  assert(r.width % headDim === 0 && state.width === r.width * headDim, `${state.name}: width ${state.width}`);
  const y = graph.value(`wkv7(${k.name})`, r.rows, r.width);
  graph.add({ op: "wkv7", inputs: [r, decay, k, v, a, gate], outputs: [y], ...parameters });
  return y;
}
