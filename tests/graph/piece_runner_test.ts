/** How plans of several pieces are handed over, on a queue and a clock that the test makes. */
import { PieceRunner, type PlanPiece } from "../../src/graph/piece_runner.ts";
import type { CommandBuffer } from "../../src/vulkan/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";

/** A device that needs `msPerWork` for each unit of work, and notes what it was given. */
class FakeDevice {
  readonly submissions: string[][] = [];
  readonly durations: number[] = [];
  msPerWork: number;
  now = 0;
  inFlightMax = 0;
  #done = 0;
  #busyUntil = 0;
  readonly #ends: number[] = [];

  constructor(msPerWork: number) {
    this.msPerWork = msPerWork;
  }

  submit(commandBuffers: readonly CommandBuffer[]): number {
    const labels = commandBuffers.map(({ label }) => label);
    this.submissions.push(labels);
    const ms = labels.reduce((sum, label) => sum + (Number(label) || 0), 0) * this.msPerWork;
    this.#busyUntil = Math.max(this.#busyUntil, this.now) + ms;
    this.#ends.push(this.#busyUntil);
    this.durations.push(ms);
    this.inFlightMax = Math.max(this.inFlightMax, this.submissions.length - this.#done);
    return this.submissions.length;
  }

  wait(value: number): Promise<void> {
    this.now = Math.max(this.now, this.#ends[value - 1]);
    this.#done = Math.max(this.#done, value);
    return Promise.resolve();
  }
}

const commands = (label: string) => ({ label }) as CommandBuffer;
const FIRST = commands("step");
const pieces = (count: number, work: number): PlanPiece[] =>
  Array.from({ length: count }, () => ({ commandBuffer: commands(String(work)), work }));

Deno.test("run() begins with one piece, then submits what takes a tenth of a second", async () => {
  const device = new FakeDevice(0.5);
  const runner = new PieceRunner(device, () => device.now);
  await runner.run(FIRST, pieces(61, 20)); // each takes 10 ms
  assertEquals(device.submissions[0], ["step", "20"]);
  assertEquals(device.submissions.slice(1).map((submission) => submission.length), [10, 10, 10, 10, 10, 10]);
  assertEquals(device.inFlightMax, 2);
});

Deno.test("run() submits everything at once on a device that is known to be fast enough", async () => {
  const device = new FakeDevice(0.001);
  const runner = new PieceRunner(device, () => device.now);
  await runner.run(FIRST, pieces(50, 20));
  assertEquals(device.submissions.map((submission) => submission.length), [2, 49]);
  assertEquals(await runner.run(FIRST, pieces(50, 20)), 3);
  assertEquals(device.submissions.at(-1)!.length, 51);
});

Deno.test("run() submits no more pieces at once than a submission can have", async () => {
  const device = new FakeDevice(1e-6);
  const runner = new PieceRunner(device, () => device.now);
  await runner.run(FIRST, pieces(700, 20));
  assertEquals(device.submissions.map((submission) => submission.length), [2, 200, 200, 200, 99]);
});

Deno.test("run() submits piece by piece where one takes longer, and adapts when the device slows down", async () => {
  const device = new FakeDevice(1);
  const runner = new PieceRunner(device, () => device.now);
  await runner.run(FIRST, pieces(10, 10));
  device.msPerWork = 30;
  await runner.run(FIRST, pieces(40, 10));
  assertEquals(device.durations.slice(-10), new Array(10).fill(300));
});

Deno.test("run() returns the value of the last submission, after which the device is idle", async () => {
  const device = new FakeDevice(1);
  const runner = new PieceRunner(device, () => device.now);
  assertEquals(await runner.run(FIRST, pieces(7, 60)), device.submissions.length);
  assertEquals(device.now, 7 * 60);
});

Deno.test("run() stops between pieces, and waits for what it has submitted", async () => {
  const device = new FakeDevice(1);
  const runner = new PieceRunner(device, () => device.now);
  const stopper = new AbortController();
  const submit = device.submit.bind(device);
  device.submit = (commandBuffers) => {
    if (device.submissions.length === 3) stopper.abort(new Error("stopped"));
    return submit(commandBuffers);
  };
  await assertFails(() => runner.run(FIRST, pieces(20, 80), stopper.signal), "stopped");
  assertEquals(device.submissions.length, 4);
  assert(device.now === 4 * 80, "the last submission was waited for");
  await assertFails(() => runner.run(FIRST, pieces(20, 80), stopper.signal), "stopped");
  assertEquals(device.submissions.length, 4);
});
