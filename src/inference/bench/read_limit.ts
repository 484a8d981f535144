/** Measures how fast a device reads its memory when it does nothing else: the ceiling for generation. */
import { KernelSet } from "../../kernels/kernel_set.ts";
import { recordStreamRead } from "../../kernels/stream_read.ts";
import { type Device, Recorder, span } from "../../vulkan/mod.ts";

/** Far beyond any cache of a GPU; software devices are slower than memory anyway. */
const BYTES = { gpu: 1 << 30, cpu: 32 << 20 };
/** Numbers of workgroups to try: what keeps a small and a large device busy. */
const WORKGROUPS = { gpu: [512, 2048, 8192], cpu: [64] };
/** A submission lasts about this long, so that its start and end do not count. */
const SUBMISSION_MS = 20;
const PASSES_MAX = 64;
const REPETITIONS = 3;
/**
 * What a GPU that was idle while weights were loaded needs to raise its clocks again, with room: an H200 still read at half its speed
 * after 0.2 s.
 */
const WARM_UP_MS = { gpu: 600, cpu: 0 };

/** Bytes per second that `device` reads at best, with a quarter of its free memory or less. */
export async function measureReadLimit(device: Device): Promise<number> {
  const kernels = new KernelSet(device);
  const kind = device.info.isCpu ? "cpu" : "gpu";
  const bytes = Math.min(BYTES[kind], 2 ** Math.floor(Math.log2(device.memoryBudget().free / 4)));
  using memory = device.createBuffer({ label: "read limit", bytes, kind: "activations" });
  using sink = device.createBuffer({ label: "read limit sink", bytes: 16, kind: "activations" });
  const warm = performance.now() + WARM_UP_MS[kind];
  do await time(device, (recorder) => recorder.fill(span(memory), 0)); while (performance.now() < warm);
  let best = 0;
  for (const workgroups of WORKGROUPS[kind]) {
    let read = 0;
    const onePass = (recorder: Recorder) => {
      read = recordStreamRead({ kernels, recorder, from: span(memory), sink: span(sink), workgroups });
    };
    await time(device, onePass); // warms up
    const passMs = await time(device, onePass);
    const passes = Math.min(PASSES_MAX, Math.ceil(SUBMISSION_MS / passMs));
    for (let repetition = 0; repetition < REPETITIONS; repetition++) {
      const ms = await time(device, (recorder) => {
        for (let pass = 0; pass < passes; pass++) onePass(recorder);
      });
      best = Math.max(best, passes * read * 1000 / ms);
    }
  }
  return best;
}

/** Runs what `record` records; returns how long that took, ms. */
async function time(device: Device, record: (recorder: Recorder) => void): Promise<number> {
  using recorder = new Recorder(device, { label: "read limit" });
  record(recorder);
  using commands = recorder.finish();
  const start = performance.now();
  await device.wait(device.submit([commands]));
  return performance.now() - start;
}
