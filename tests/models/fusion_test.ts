/**
 * Fusions change how often the device is asked, never what it answers: every golden model without each of them, and without all, on the
 * kernels of GPUs.
 */
import { fuse, FUSIONS } from "../../src/graph/fuse.ts";
import { VulkanEngine } from "../../src/inference/vulkan_engine.ts";
import { type OpenModel, openModel } from "../../src/models/open_model.ts";
import { assertAllNear, assertEquals } from "../support/assert.ts";
import {
  checkCase,
  checkLogits,
  CONTEXT,
  type DecoderCase,
  goldenCase,
  goldenModel,
  goldenNames,
  logitsOf,
  toleranceOf,
  VULKAN,
} from "../support/golden.ts";
import { openVulkanEngine, uploadWeights } from "../support/vulkan_executor.ts";

const KERNELS = { strategy: "teams", dots: "all" } as const;
/** Tokens at a time: one, for which there are more fusions, and a few. */
const BATCHES = [1, 7];
/** Part of a case's tolerance for what fusions change: the order of sums, and with it the rounding of keys and values to float16. */
const SHARE = 0.25;

const NAMES = FUSIONS.map(({ name }) => name);
const [ALL, NONE] = [new Set(NAMES), new Set<string>()];

/** The fusions that change a pass of `model` over `rows` tokens. */
function takingPart(model: OpenModel, rows: number): string[] {
  const nodesWithout = (off: ReadonlySet<string>) => fuse(model.build(rows, 1), off).nodes.length;
  return NAMES.filter((name) => nodesWithout(new Set([name])) !== nodesWithout(NONE));
}

/** The case's first prompt, with all fusions and without some, against its JSON and against no fusions at all. */
async function checkDecoderFusions(model: OpenModel, name: string): Promise<void> {
  const expected = goldenCase<DecoderCase>(name);
  const [prompt] = expected.prompts;
  using resources = await uploadWeights(model, KERNELS);
  for (const rows of BATCHES) {
    const logitsWithout = async (disabledFusions: ReadonlySet<string>) => {
      using engine = new VulkanEngine(model, resources, rows, { disabledFusions });
      return await logitsOf(engine, prompt.tokens);
    };
    const unfused = await logitsWithout(ALL);
    checkLogits(unfused, prompt, toleranceOf(expected, VULKAN));
    for (const off of [NONE, ...takingPart(model, rows).map((fusion) => new Set([fusion]))]) {
      for (const [position, logits] of (await logitsWithout(off)).entries()) {
        const what = `${rows} at a time without ${[...off].join() || "nothing"}, position ${position}:`;
        assertAllNear(logits, unfused[position], SHARE * expected.tolerance, what);
      }
    }
  }
}

for (const name of goldenNames()) {
  Deno.test(`${name} says the same whichever fusions are off`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    if (model.family.kind === "decoder") return await checkDecoderFusions(model, name);
    const open = (opened: OpenModel, ubatch: number) =>
      openVulkanEngine(opened, ubatch, { kernels: KERNELS, disabledFusions: ALL });
    await checkCase(name, { ...VULKAN, open, chunkSizes: [7] });
  });
}

Deno.test("every fusion takes part in some golden model", () => {
  const seen = new Set<string>();
  for (const name of goldenNames()) {
    using model = openModel(goldenModel(name), CONTEXT);
    for (const fusion of takingPart(model, 1)) seen.add(fusion);
  }
  assertEquals([...seen].sort(), [...NAMES].sort());
});
