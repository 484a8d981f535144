/** The formats of `zinc bench -o`. */
import { rowFields } from "../../../src/cli/bench/fields.ts";
import { createReport, type ReportFormat } from "../../../src/cli/bench/report.ts";
import { Output } from "../../../src/cli/output.ts";
import type { BenchRow } from "../../../src/inference/bench/row.ts";
import { assertEquals, assertNear } from "../../support/assert.ts";
import { GENERATION, PROMPT } from "./sample_rows.ts";

/** Everything written, and the number of bytes written when each row was done. */
async function written(
  format: ReportFormat,
  rows: readonly BenchRow[],
): Promise<{ text: string; flushed: number[] }> {
  const chunks: Uint8Array[] = [];
  const sink = {
    write(bytes: Uint8Array) {
      chunks.push(bytes.slice());
      return Promise.resolve(bytes.length);
    },
  };
  const length = () => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const report = createReport(format, new Output(sink), "zinc 1.2.3");
  const flushed: number[] = [];
  await report.begin();
  for (const row of rows) {
    await report.row(row);
    flushed.push(length());
  }
  await report.end();
  return { text: await new Blob(chunks as BlobPart[]).text(), flushed };
}

Deno.test("-o md has llama-bench's columns first, and its way of writing values", async () => {
  const { text } = await written("md", [GENERATION]);
  const [titles, , row] = text.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  // The first line of llama-bench, without the number of layers on the device: all of them are.
  assertEquals(titles.slice(1, 7), ["model", "size", "params", "backend", "test", "t/s"]);
  assertEquals(row.slice(1, 7), [
    "llama 8B Q4_K - Medium",
    "4.68 GiB",
    "8.19 B",
    "Vulkan",
    "tg3 @ d4096",
    "200.00 ± 100.00",
  ]);
  assertEquals(
    Object.fromEntries(titles.slice(7, -1).map((title, i) => [title, row[7 + i]])),
    {
      "MB/token": "2000.00",
      "GB/s": "400.00",
      "of limit": "40.0 %",
      dispatches: "301.0",
      barriers: "210.5",
      submissions: "0.063",
      "host µs": "4.25",
      device: "Some GPU",
      driver: "some driver 1.2",
    },
  );
});

Deno.test("-o md lines up, shows what was not measured as a dash, and profiles behind the table", async () => {
  const { text } = await written("md", [GENERATION, { ...PROMPT, model: GENERATION.model }]);
  const table = text.split("\n").slice(0, 4);
  assertEquals(new Set(table.map((line) => line.length)).size, 1);
  assertEquals(table[3].match(/\| +- /g)?.length, 7);
  assertEquals(
    text.split("\n").slice(4).join("\n"),
    `
llama 8B Q4_K - Medium, tg3 @ d4096: device time of one step, each dispatch alone, 1000.0 µs

| operation                      | dispatches |         µs |  share |
| ------------------------------ | ---------: | ---------: | -----: |
| ffn_down.weight                |         36 |      750.0 | 75.0 % |
| attention                      |         36 |      250.0 | 25.0 % |

build: zinc 1.2.3
`,
  );
});

Deno.test("-o json is one array, whole even without a result", async () => {
  assertEquals(JSON.parse((await written("json", [])).text), []);
  const rows = JSON.parse((await written("json", [GENERATION, PROMPT])).text);
  assertEquals(rows.map((row: { test: string }) => row.test), ["tg3 @ d4096", "pp10"]);
});

Deno.test("-o jsonl and csv have a line per result, written at once", async () => {
  for (const [format, before] of [["jsonl", 0], ["csv", 1]] as const) {
    const { text, flushed } = await written(format, [GENERATION, PROMPT]);
    const lines = text.trimEnd().split("\n");
    assertEquals(lines.length, before + 2, format);
    const bytes = (count: number) => new TextEncoder().encode(lines.slice(0, count).join("\n") + "\n").length;
    assertEquals(flushed, [bytes(before + 1), bytes(before + 2)], format);
  }
});

Deno.test("-o csv quotes every value and doubles quotes", async () => {
  const [header, line] = (await written("csv", [PROMPT])).text.split("\n");
  const values = Array.from(line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g), ([, value]) => value);
  const record = Object.fromEntries(header.split(",").map((name, i) => [name, values[i]]));
  assertEquals(record.model_type, `<b>""a|b"" & c</b>`);
  assertEquals([record.avg_ts, record.stddev_ts, record.host_us_per_token], ["1000", "0", ""]);
});

Deno.test("rowFields() names what llama-bench names, with values that follow from the samples", () => {
  const fields = rowFields(GENERATION, "zinc 1.2.3");
  assertEquals(fields.samples_ts, [100, 200, 300]);
  assertEquals([fields.avg_ts, fields.stddev_ts], [200, 100]);
  assertEquals(fields.avg_ns, 18_333_333);
  assertNear(fields.stddev_ns, 10_408_330, 1);
  assertEquals([fields.n_prompt, fields.n_gen, fields.n_depth, fields.n_ubatch], [0, 3, 4096, 512]);
  assertEquals([fields.type_k, fields.type_v], ["q8_0", "f16"]);
  assertEquals(fields.test_time, "2026-01-02T03:04:05Z");
  assertEquals([fields.bytes_per_token, fields.gb_per_s, fields.limit_gb_per_s, fields.share_of_limit], [
    2e9,
    400,
    1000,
    0.4,
  ]);
});

Deno.test("rowFields() says null for a device that took no part", () => {
  const fields = rowFields(PROMPT, "zinc 1.2.3");
  assertEquals([fields.device, fields.limit_gb_per_s, fields.submissions_per_token], [null, null, null]);
  assertEquals([fields.backends, fields.type_k], ["reference", "f32"]);
});
