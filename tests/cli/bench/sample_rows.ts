/** Two results with numbers that are easy to check by hand. */
import type { BenchRow } from "../../../src/inference/bench/row.ts";

const MODEL = {
  path: "models/tiny.gguf",
  type: "llama 8B Q4_K - Medium",
  bytes: 5_021_827_072,
  parameters: 8_190_735_360,
};
const DEVICE = {
  name: "Some GPU",
  driver: "some driver 1.2",
  subgroupSize: 32,
  cooperativeMatrix: true,
  readLimit: 1e12,
};
const TIME = new Date("2026-01-02T03:04:05.678Z");

/** 100, 200 and 300 tokens per second: mean 200, deviation 100. A token needs 2 GB, so 400 GB/s, 40 % of the limit. */
export const GENERATION: BenchRow = {
  model: MODEL,
  device: DEVICE,
  ubatch: 512,
  cacheTypes: { keys: "q8_0", values: "f16" },
  test: { prompt: 0, generate: 3, depth: 4096 },
  measurement: {
    samplesNs: [30_000_000, 15_000_000, 10_000_000],
    cost: { dispatches: 301, barriers: 210.5, submissions: 0.0625, hostUs: 4.25 },
  },
  bytesPerToken: 2e9,
  profile: [
    { operation: "ffn_down.weight", dispatches: 36, us: 750 },
    { operation: "attention", dispatches: 36, us: 250 },
  ],
  time: TIME,
};

/** One repetition of 1,000 tokens per second on the reference executor. */
export const PROMPT: BenchRow = {
  model: { ...MODEL, type: `<b>"a|b" & c</b>` },
  ubatch: 64,
  cacheTypes: { keys: "f32", values: "f32" },
  test: { prompt: 10, generate: 0, depth: 0 },
  measurement: { samplesNs: [10_000_000] },
  bytesPerToken: 5e8,
  time: TIME,
};
