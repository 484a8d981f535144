import { embed, type EmbedIndex } from "../../src/kernels/embed.ts";
import { FORMATS } from "../../src/quant/formats.ts";
import { assertClose, openBench } from "./harness.ts";

const bench = openBench();
const TOLERANCE = 1e-7;
const DEVICE_FORMATS = Object.values(FORMATS).filter((format) => format.device);

for (const { name, blockLength } of DEVICE_FORMATS) {
  Deno.test(`embed reads rows of a ${name} table`, async () => {
    using lab = bench.lab();
    const width = blockLength === 1 ? 65 : 3 * blockLength;
    const table = lab.weight(name, 5, width);
    const node = {
      op: "embed",
      inputs: [],
      outputs: [lab.value(3, width)],
      table,
      index: { by: "token" },
      scale: 1.5,
    } as const;
    const batch = { position: 9, tokens: Int32Array.of(4, 0, 2) };
    assertClose(await lab.run(embed, node, { batch }), TOLERANCE);
  });
}

const CHOICES: [string, EmbedIndex][] = [
  ["by position", { by: "position", offset: 0 }],
  ["by position from an offset on", { by: "position", offset: 2 }],
  ["that is always the same", { by: "row", row: 3 }],
];
for (const [what, index] of CHOICES) {
  Deno.test(`embed reads the row ${what}`, async () => {
    using lab = bench.lab();
    const table = lab.weight("f32", 8, 33);
    const node = { op: "embed", inputs: [], outputs: [lab.value(2, 33)], table, index, scale: 1 } as const;
    const batch = { position: 3, tokens: Int32Array.of(7, 7) };
    assertClose(await lab.run(embed, node, { batch }), TOLERANCE);
  });
}
