/** Synthetic models: the shapes, names and formats of real files, and values that a model can compute with. */
import { openGguf } from "../../src/gguf/mod.ts";
import { ReferenceEngine } from "../../src/inference/reference_engine.ts";
import { openModel } from "../../src/models/open_model.ts";
import { type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { createTokenizer } from "../../src/tokenizer/create_tokenizer.ts";
import {
  dataBytes,
  describeModel,
  parameterCount,
  writeEmptyModel,
  writeModel,
} from "../../tools/synth/model.ts";
import { formatOf, MIXES, type MixName } from "../../tools/synth/quant_mix.ts";
import { type Shape, SHAPES } from "../../tools/synth/shapes.ts";
import { assert, assertEquals, assertNear } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";
import { needsModel } from "../support/models.ts";
import { TempDirectory } from "../support/temp.ts";

function shapeNamed(name: string): Shape {
  return SHAPES.find((shape) => shape.name === name)!;
}

/** The same model in small: four layers of 512. */
function small(shape: Shape): Shape {
  return {
    ...shape,
    layers: 4,
    hidden: 512,
    feedForward: shape.feedForward && 768,
    heads: 4,
    kvHeads: 2,
    headDim: 64,
    rotaryDim: Math.min(64, shape.rotaryDim),
    vocabulary: 700,
    experts: shape.experts &&
      { count: 8, used: 2, width: 256, sharedWidth: shape.experts.sharedWidth && 256 },
    deltaNet: shape.deltaNet && { ...shape.deltaNet, keyHeads: 2, valueHeads: 4, headDim: 64 },
  };
}

/** `size` and `params` of llama-bench for the published files: bytes of all tensors, and their elements. */
const PUBLISHED: readonly [shape: string, mix: MixName, size: string, params: string][] = [
  ["smollm2-135m", "q4_1", "92.10 MiB", "134.52 M"],
  ["qwen3-0.6b", "q4_k_m", "372.65 MiB", "596.05 M"],
  ["llama-3.2-1b", "q4_k_m", "762.81 MiB", "1.24 B"],
  ["qwen3-8b", "q4_k_m", "4.68 GiB", "8.19 B"],
  ["gpt-oss-20b", "mxfp4_moe", "11.27 GiB", "20.91 B"],
  ["gemma-3-27b", "q4_k_m", "15.40 GiB", "27.01 B"],
  ["gemma-3-27b", "q8_0", "26.73 GiB", "27.01 B"],
  ["llama-2-7b", "q4_0", "3.56 GiB", "6.74 B"],
  ["llama-2-7b", "q4_k_m", "3.80 GiB", "6.74 B"],
];

Deno.test("describeModel() has the size and the number of weights that llama-bench prints for the real file", () => {
  for (const [name, mix, size, params] of PUBLISHED) {
    const model = describeModel(shapeNamed(name), { mix });
    const unit = size.endsWith("MiB") ? 2 ** 20 : 2 ** 30;
    const count = params.endsWith("M") ? 1e6 : 1e9;
    assertEquals((dataBytes(model) / unit).toFixed(2) + size.slice(-4), size, `${name} ${mix}`);
    assertEquals((parameterCount(model) / count).toFixed(2) + params.slice(-2), params, `${name} ${mix}`);
  }
});

Deno.test("describeModel() makes Qwen3.5 35B A3B of 34.7 billion weights in about 21.8 GB", () => {
  const model = describeModel(shapeNamed("qwen3.5-35b-a3b"));
  assertEquals((parameterCount(model) / 1e9).toFixed(1), "34.7");
  assertNear(dataBytes(model) / 1e9, 21.8, 0.1);
});

/** A converted model of the same architecture, tied or not like the shape. */
const CONVERTED: Readonly<Record<string, string>> = {
  "qwen3-0.6b": "qwen3",
  "llama-3.2-1b": "llama3_ropefreqs",
  "qwen3.5-35b-a3b": "qwen35moe",
  "gpt-oss-20b": "gpt_oss_mxfp4",
  "gemma-3-27b": "gemma3",
  "llama-2-7b": "llama2",
};

Deno.test("describeModel() names exactly the tensors that a converted model of the architecture has", () => {
  for (const [name, golden] of Object.entries(CONVERTED)) {
    using file = openGguf(goldenModel(golden));
    const { architecture } = shapeNamed(name);
    const layers = file.metadata.number(`${architecture}.block_count`);
    const described = (tensor: { name: string; dims: readonly number[] }) =>
      `${tensor.name} of ${tensor.dims.length} dimensions`;
    const made = describeModel({ ...shapeNamed(name), layers }).tensors.map(described);
    assertEquals(made.sort(), [...file.tensors.values()].map(described).sort(), name);
  }
});

Deno.test("describeModel() has every metadata key that a converted model of the architecture has", () => {
  for (const [name, golden] of Object.entries(CONVERTED)) {
    using file = openGguf(goldenModel(golden));
    const made = new Set(describeModel(shapeNamed(name)).metadata.map(([key]) => key));
    const missing = file.metadata.keys().filter((key) => !made.has(key));
    assertEquals(missing.filter((key) => !/^general|eot_token_id$/.test(key)), [], name);
  }
});

const smol = needsModel("SmolLM2-135M-Instruct.Q4_1.gguf");
Deno.test({
  name: `describeModel() has the tensors, sizes and formats of the real SmolLM2${smol.note}`,
  ignore: smol.ignore,
  fn() {
    using file = openGguf(smol.path);
    const described = (
      { name, dims, format }: { name: string; dims: readonly number[]; format?: FormatName },
    ) => `${name} ${dims} ${format}`;
    const made = describeModel(shapeNamed("smollm2-135m")).tensors.map(described);
    assertEquals(made.sort(), [...file.tensors.values()].map(described).sort());
  },
});

/** The formats that the rules give to the matrices of `path`, and those that the file has. */
function formatsByRule(path: string, mix: MixName): { ruled: string[]; found: string[] } {
  using file = openGguf(path);
  const layers = file.metadata.number(`${file.metadata.string("general.architecture")}.block_count`);
  const matrices = [...file.tensors.values()].filter((tensor) => tensor.format !== "f32");
  const hasOutput = file.tensors.has("output.weight");
  const ruled = matrices.map(({ name, dims }) => {
    const layer = Number(/^blk\.(\d+)/.exec(name)?.[1] ?? 0);
    return `${name} ${formatOf({ name, columns: dims[0], layer }, { mix, layers, hasOutput })}`;
  });
  return { ruled, found: matrices.map(({ name, format }) => `${name} ${format}`) };
}

Deno.test("formatOf() chooses as llama-quantize did for golden models", () => {
  for (
    const [golden, mix] of [["llama_q4_k_m", "q4_k_m"], ["llama_q6_k", "q6_k"], [
      "llama_q8_0",
      "q8_0",
    ]] as const
  ) {
    const { ruled, found } = formatsByRule(goldenModel(golden), mix);
    assertEquals(ruled, found, golden);
  }
});

const gemma = needsModel("gemma-3-270m-q4_k_m.gguf");
Deno.test({
  name:
    `formatOf() chooses as llama-quantize did for 18 layers with rows of 640, which are no whole k-quant blocks${gemma.note}`,
  ignore: gemma.ignore,
  fn() {
    const { ruled, found } = formatsByRule(gemma.path, "q4_k_m");
    assertEquals(ruled, found);
  },
});

Deno.test("writeModel() writes models that open and give logits around 1, for every shape", async () => {
  using folder = new TempDirectory();
  for (const shape of SHAPES) {
    const path = folder.join(`${shape.name}.gguf`);
    writeModel(path, describeModel(small(shape)));
    using model = openModel(path, 64);
    assertEquals(createTokenizer(model.file.metadata).vocabSize, 700, shape.name);
    using engine = new ReferenceEngine(model, 8);
    const logits = await engine.forward({ tokens: Int32Array.of(5, 300, 699), position: 0 }, 1);
    const deviation = Math.hypot(...logits) / Math.sqrt(logits.length);
    assert(deviation > 0.3 && deviation < 5, `${shape.name}: logits of deviation ${deviation}`);
    assertEquals(new Set(logits).size, 700, `${shape.name}: equal rows in the output matrix`);
  }
});

Deno.test("writeModel() writes every file type, and its matrices have the deviation asked for", () => {
  using folder = new TempDirectory();
  for (const mix of MIXES) {
    const path = folder.join(`${mix}.gguf`);
    writeModel(path, describeModel(small(shapeNamed("llama-3.2-1b")), { mix }));
    using file = openGguf(path);
    for (const name of ["blk.0.ffn_gate.weight", "token_embd.weight", "blk.3.attn_v.weight"]) {
      const tensor = file.tensors.get(name)!;
      const bytes = new Uint8Array(tensor.bytes);
      file.readTensor(tensor, bytes);
      const values = new Float32Array(tensor.elements);
      FORMATS[tensor.format!].decode(bytes, tensor.elements / FORMATS[tensor.format!].blockLength, values, 0);
      const deviation = Math.hypot(...values.subarray(0, 50_000)) / Math.sqrt(50_000);
      assertNear(deviation, 512 ** -0.5, 0.1 * 512 ** -0.5, `${mix} ${name}`);
    }
  }
});

Deno.test("writeModel() writes the same bytes for the same seed, and other weights for another", () => {
  using folder = new TempDirectory();
  const write = (name: string, seed: number) => {
    writeModel(folder.join(name), describeModel(small(shapeNamed("qwen3-0.6b")), { seed }));
    return Deno.readFileSync(folder.join(name));
  };
  const first = write("a", 1);
  assertEquals(first, write("b", 1));
  const other = write("c", 2);
  assertEquals(other.length, first.length);
  assert(other.some((byte, i) => byte !== first[i]));
});

Deno.test("writeEmptyModel() writes a file that opens, as long as the real one and nearly without size", () => {
  using folder = new TempDirectory();
  const path = folder.join("model.gguf");
  const shape = shapeNamed("qwen3.5-35b-a3b");
  writeEmptyModel(path, describeModel({ ...shape, layers: 4 }));
  using model = openModel(path, 64);
  assertEquals(model.states.slots.filter(({ kind }) => kind === "kv").length, 2);
  const { size, blocks } = Deno.statSync(path);
  assert(size > 2e9 && (blocks === null || blocks * 512 < 50e6), `${size} bytes, ${blocks} blocks`);
});

Deno.test("the synthetic vocabularies make one token of a short word and give every text back", () => {
  using folder = new TempDirectory();
  for (const name of ["qwen3-0.6b", "llama-2-7b"]) {
    const path = folder.join("model.gguf");
    writeModel(path, describeModel({ ...small(shapeNamed(name)), vocabulary: 1100 }));
    using file = openGguf(path);
    const tokenizer = createTokenizer(file.metadata);
    const alone = tokenizer.encode("ab", { addSpecial: false });
    assertEquals(alone.map((id) => tokenizer.piece(id).trim()), ["ab"], name);
    const text = "ab ba, Zürich 🦙";
    assertEquals(tokenizer.decode(tokenizer.encode(text)), text, name);
  }
});
