/** `zinc embed`: texts to vectors. */
import { Option } from "commander";
import { usageError } from "../../common/errors.ts";
import type { Model } from "../../inference/load_model.ts";
import { type Pooling, POOLINGS } from "../../inference/pooling.ts";
import type { AddCommand } from "../command.ts";
import { addEngineFlags, type EngineFlags, loadFromFlags } from "../engine_flags.ts";
import { tokenList } from "../flags.ts";
import { readStandardInput } from "../standard_input.ts";
import { table } from "../table.ts";

interface Flags extends EngineFlags {
  readonly tokens?: number[];
  readonly pooling?: Pooling;
  readonly normalize: boolean;
  readonly json?: boolean;
}

interface Embedding {
  readonly index: number;
  readonly embedding: Float32Array;
  readonly tokens: readonly number[];
}

const TITLE_SHOWN = 24;

/** Adds `zinc embed`. */
export const addEmbed: AddCommand = (program, { out }) => {
  const command = program.command("embed")
    .summary("turn texts into vectors")
    .description(
      "Turn texts into vectors, and show how alike they are: the cosine of each pair. Without texts each line of standard input is one.",
    )
    .argument("[texts...]", "the texts");
  addEngineFlags(command)
    .option("--tokens <ids>", "one text as token ids, fed as they are: 1,2,3", tokenList)
    .addOption(
      new Option("--pooling <kind>", "how token states become one vector (default: the model's own)").choices(
        POOLINGS,
      ),
    )
    .option("--no-normalize", "keep the length of the vectors")
    .option("--json", "one object, as OpenAI's API gives it, with the tokens besides")
    .action(async (texts: string[], flags: Flags) => {
      if (flags.tokens && texts.length > 0) throw usageError("Give either texts or --tokens, not both");
      const inputs = flags.tokens ? [] : texts.length > 0 ? texts : await readLinesOfInput();
      const { embed } = await import("../../inference/embed.ts");
      await using model = await loadFromFlags(flags);
      using engine = model.createEngine();
      const data: Embedding[] = [];
      for (
        const tokens of flags.tokens ? [flags.tokens] : inputs.map((text) => model.tokenizer.encode(text))
      ) {
        const embedding = await embed(model.open, engine, tokens, flags);
        data.push({ index: data.length, embedding, tokens });
      }
      if (flags.json) await out.json(asList(model, data));
      else await out.write(await describe(inputs, data));
    });
};

async function readLinesOfInput(): Promise<string[]> {
  const lines = (await readStandardInput()).split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 0) throw usageError("Give texts to embed");
  return lines;
}

function asList(model: Model, data: readonly Embedding[]): unknown {
  const name = model.open.file.metadata.string("general.name", model.path);
  return {
    object: "list",
    model: name,
    data: data.map((row) => ({ ...row, embedding: Array.from(row.embedding) })),
  };
}

/** One vector as numbers; several as the table of their cosines. */
async function describe(texts: readonly string[], data: readonly Embedding[]): Promise<string> {
  if (data.length === 1) {
    return Array.from(data[0].embedding, (value) => value.toPrecision(6)).join(" ") + "\n";
  }
  const titles = texts.map((text, index) => `${index + 1} ${text.slice(0, TITLE_SHOWN)}`);
  const rows = data.map((
    a,
    index,
  ) => [titles[index], ...data.map((b) => cosine(a.embedding, b.embedding).toFixed(3))]);
  return await table(["", ...data.map((_, index) => `${index + 1}`.padStart(5))], rows);
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return dot / Math.sqrt(aa * bb);
}
