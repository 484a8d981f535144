/** `zinc bench`: how fast models run here, and what keeps them from running faster. */
import { type Command, Option } from "commander";
import { usageError, UserError } from "../../common/errors.ts";
import type { BenchOptions } from "../../inference/bench/bench.ts";
import type { BenchRow } from "../../inference/bench/row.ts";
import { type BenchTest, testsOf } from "../../inference/bench/test_list.ts";
import { benchPage } from "../bench/page.ts";
import { createReport, REPORT_FORMATS, type ReportFormat } from "../bench/report.ts";
import { addExecutorFlags, type ExecutorFlags } from "../engine_flags.ts";
import { addCacheFlags, type CacheFlags, cacheTypesFrom } from "../cache_flags.ts";
import type { AddCommand } from "../command.ts";
import { reportFailure } from "../failure.ts";
import { listOf, wholeNumber } from "../flags.ts";
import { withInterrupt } from "../interrupt.ts";
import { findModelFile } from "../model_source.ts";
import { notice, OutputClosed } from "../output.ts";
import { Progress } from "../progress.ts";
import { VERSION_LINE } from "../version.ts";

interface Flags extends ExecutorFlags, CacheFlags {
  readonly model?: string[];
  readonly nPrompt?: number[];
  readonly nGen?: number[];
  readonly nDepth?: number[];
  readonly repetitions: number;
  readonly output: ReportFormat;
  readonly html?: string;
  readonly profile?: boolean;
  readonly warmup: boolean;
}

const DEFAULTS = { nPrompt: [512], nGen: [128], nDepth: [0], repetitions: 5 };

/** Adds `zinc bench`. */
export const addBench: AddCommand = (program, { out }) => {
  addFlags(program.command("bench")).action(async (flags: Flags) => {
    const tests = testsOf({
      prompts: flags.nPrompt ?? DEFAULTS.nPrompt,
      generations: flags.nGen ?? DEFAULTS.nGen,
      depths: flags.nDepth ?? DEFAULTS.nDepth,
    });
    if (tests.length === 0) throw usageError("Nothing to measure: -p and -n are both 0");
    const models = flags.model ?? [undefined];
    const report = createReport(flags.output, out, VERSION_LINE);
    const rows: BenchRow[] = [];
    // A place that cannot be written to is better known before the work than after it.
    if (flags.html !== undefined) await writePage(flags.html, rows);
    await report.begin();
    try {
      await withInterrupt(async (signal) => {
        for (const model of models) {
          await benchOne(model, tests, flags, signal, async (row) => {
            rows.push(row);
            await report.row(row);
          });
        }
      });
    } finally {
      await report.end();
      if (flags.html !== undefined) await writePage(flags.html, rows);
    }
    const missing = models.length * tests.length - rows.length;
    if (missing > 0) {
      throw new UserError(`${missing} of ${models.length * tests.length} tests have no result`);
    }
  });
};

async function writePage(path: string, rows: readonly BenchRow[]): Promise<void> {
  try {
    await Deno.writeTextFile(path, benchPage(rows, VERSION_LINE));
  } catch (error) {
    throw new UserError(`Cannot write "${path}": ${(error as Error).message}`, { cause: error });
  }
}

function addFlags(command: Command): Command {
  command
    .summary("measure how fast models run")
    .description(
      "Measure how fast models run: the tests, names and units of llama-bench, and what each token cost. Lists are separated by commas.",
    )
    .option("-m, --model <models>", "as elsewhere, several separated by commas", listOf(String))
    .option("-p, --n-prompt <list>", "lengths of prompts to feed (default: 512)", listOf(wholeNumber(0)))
    .option("-n, --n-gen <list>", "numbers of tokens to generate (default: 128)", listOf(wholeNumber(0)))
    .option(
      "-d, --n-depth <list>",
      "tokens in the context before each test (default: 0)",
      listOf(wholeNumber(0)),
    )
    .option("-r, --repetitions <n>", "how often each test runs", wholeNumber(1), DEFAULTS.repetitions)
    .addOption(
      new Option("-o, --output <format>", "format of the results").choices(REPORT_FORMATS).default("md"),
    )
    .option("--html <file>", "also write a page with plots")
    .option("--profile", "also show where the time of one step goes, by operation")
    .option("--no-warmup", "do not run each test once before its clock starts");
  return addExecutorFlags(addCacheFlags(command));
}

/** Runs all tests on one model. What fails is reported on standard error and does not end the benchmark. */
async function benchOne(
  reference: string | undefined,
  tests: readonly BenchTest[],
  flags: Flags,
  signal: AbortSignal,
  onRow: (row: BenchRow) => Promise<void>,
): Promise<void> {
  const survive = (error: unknown) => {
    if (error instanceof OutputClosed || signal.aborted) throw error;
    reportFailure(error);
  };
  try {
    const { benchModel } = await import("../../inference/bench/bench.ts");
    const path = await findModelFile(reference);
    using progress = await Progress.open();
    for await (const outcome of benchModel(path, tests, benchOptions(flags, signal, progress))) {
      progress.stop();
      if ("row" in outcome) await onRow(outcome.row);
      else survive(outcome.error);
    }
  } catch (error) {
    survive(error);
  }
}

function benchOptions(flags: Flags, signal: AbortSignal, progress: Progress): BenchOptions {
  return {
    repetitions: flags.repetitions,
    warmup: flags.warmup,
    profile: flags.profile ?? false,
    signal,
    load: {
      device: flags.device,
      executor: flags.executor,
      ubatch: flags.ubatch,
      cacheTypes: cacheTypesFrom(flags),
      onProgress: (done, total) => progress.update("loading", done, total),
      onWarning: notice,
    },
  };
}
