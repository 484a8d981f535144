/** The kernel that only reads: it covers whole rounds of all workgroups and writes nothing. */
import { recordStreamRead } from "../../src/kernels/stream_read.ts";
import { Recorder, span } from "../../src/vulkan/mod.ts";
import { KernelSet } from "../../src/kernels/kernel_set.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { openBench } from "./harness.ts";

const bench = openBench();

Deno.test("recordStreamRead() reads nearly all of the memory and leaves the sink alone", async () => {
  const { device } = bench;
  const kernels = new KernelSet(device);
  const bytes = 1 << 20;
  using memory = device.createBuffer({ label: "memory", bytes, kind: "activations" });
  using sink = device.createBuffer({ label: "sink", bytes: 16, kind: "activations" });
  using recorder = new Recorder(device);
  recorder.fill(span(memory), 0);
  recorder.fill(span(sink), 0x5a5a5a5a);
  const read = recordStreamRead({ kernels, recorder, from: span(memory), sink: span(sink), workgroups: 7 });
  using commands = recorder.finish();
  await device.wait(device.submit([commands]));
  assert(read <= bytes && read > bytes - 7 * 65_536, `${read} of ${bytes}`);
  assertEquals(
    new Uint32Array((await device.readback(span(sink))).buffer),
    new Uint32Array(4).fill(0x5a5a5a5a),
  );
});
