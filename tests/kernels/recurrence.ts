/** What the tests of recurrent operations share. */
import type { NodeBase, Operation, StateSlot } from "../../src/kernels/operation.ts";
import { assertEquals } from "../support/assert.ts";
import { assertClose, type Lab } from "./harness.ts";

/** Runs a node twice: the second batch goes on from the state that the first left behind. */
export async function checkTwoBatches<N extends NodeBase>(
  lab: Lab,
  operation: Operation<N>,
  node: N,
  tolerance: number,
  label: string,
): Promise<void> {
  const { rows } = node.inputs[0];
  const tokens = new Int32Array(rows);
  for (const [i, batch] of [0, rows].map((position) => ({ position, tokens })).entries()) {
    assertClose(await lab.run(operation, node, { batch }), tolerance, `${label}, batch ${i}:`);
  }
}

/** Fails if the device changes `state` in a step that is marked as stopped. */
export async function checkStopped<N extends NodeBase>(
  lab: Lab,
  operation: Operation<N>,
  node: N,
  state: StateSlot,
): Promise<void> {
  const before = lab.stateOf(state).slice();
  const { actual } = await lab.run(operation, node, { stopped: true });
  assertEquals(actual.slice(-state.width), before, "the state after a stopped step");
}
