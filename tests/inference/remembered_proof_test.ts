/** When an answer of matrix units is believed without asking again. */
import { join } from "node:path";
import { type ProvenAdapter, rememberedProof } from "../../src/inference/self_test/remembered_proof.ts";
import { assertEquals } from "../support/assert.ts";
import { withEnv } from "../support/env.ts";

const GPU: ProvenAdapter = {
  name: "Some GPU",
  uuid: "0a".repeat(16),
  driverInfo: "driver 7",
  pipelineCacheUuid: "0b".repeat(16),
  driverVersion: 7,
};

/** Whether each start of `starts`, one after the other and with a cache folder of their own, asks the device. */
async function asked(
  starts: readonly ProvenAdapter[],
  options: { right?: boolean; between?: (folder: string) => void; env?: Record<string, string> } = {},
): Promise<boolean[]> {
  const { right = true, between = () => {}, env = {} } = options;
  const folder = Deno.makeTempDirSync();
  const answers: boolean[] = [];
  try {
    await withEnv({ XDG_CACHE_HOME: folder, ...env }, async () => {
      for (const adapter of starts) {
        let ask = false;
        const result = await rememberedProof(adapter, () => {
          ask = true;
          return Promise.resolve(right);
        });
        assertEquals(result, right);
        answers.push(ask);
        between(join(folder, "zinc", "pipelines"));
      }
    });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
  return answers;
}

/** Changes what is remembered in `folder`. */
function rewrite(folder: string, change: (text: string) => string): void {
  const [{ name }] = Deno.readDirSync(folder);
  const path = join(folder, name);
  Deno.writeTextFileSync(path, change(Deno.readTextFileSync(path)));
}

Deno.test("rememberedProof() asks a device once", async () => {
  assertEquals(await asked([GPU, GPU, GPU]), [true, false, false]);
});

Deno.test("rememberedProof() asks again about another card, driver or description of it", async () => {
  for (
    const change of [
      { uuid: "0c".repeat(16) },
      { name: "Some other GPU" },
      { driverInfo: "driver 8" },
      { driverVersion: 8 },
      { pipelineCacheUuid: "0d".repeat(16) },
    ]
  ) {
    assertEquals(await asked([GPU, { ...GPU, ...change }]), [true, true], JSON.stringify(change));
  }
});

Deno.test("rememberedProof() does not believe a file that was cut short, changed or written by another version", async () => {
  const damages: ((text: string) => string)[] = [
    () => "",
    (text) => text.slice(0, -1),
    (text) => text + text,
    (text) => text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    () => "true",
    () => "\u0000\ufffd\n",
  ];
  for (const damage of damages) {
    const between = (folder: string) => rewrite(folder, damage);
    assertEquals(await asked([GPU, GPU], { between }), [true, true], String(damage));
  }
});

Deno.test("rememberedProof() never remembers a wrong answer", async () => {
  assertEquals(await asked([GPU, GPU], { right: false }), [true, true]);
});

Deno.test("rememberedProof() asks every time where nothing can be kept", async () => {
  assertEquals(await asked([GPU, GPU], { env: { XDG_CACHE_HOME: "/dev/null" } }), [true, true]);
  assertEquals(await asked([GPU, GPU], { env: { ZINC_NO_PIPELINE_CACHE: "1" } }), [true, true]);
});
