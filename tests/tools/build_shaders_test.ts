import { join } from "node:path";
import { buildShaders, COMPILED, TABLE } from "../../tools/build_shaders.ts";
import { ShaderCompiler } from "../../tools/shader_compiler.ts";
import { reflect } from "../../tools/spirv_reflection.ts";
import { assertEquals, assertFails } from "../support/assert.ts";
import { TempDirectory } from "../support/temp.ts";

const compiler = await ShaderCompiler.find();
const needsCompiler = compiler ? "" : " (needs glslang 13.1.1: run `deno task shaders` once)";

Deno.test({
  name: `buildShaders() gives the committed modules and table to the byte${needsCompiler}`,
  ignore: !compiler,
  fn: async () => {
    const { modules, table } = await buildShaders(compiler!);
    const committed = Array.from(Deno.readDirSync(COMPILED), ({ name }) => name).sort();
    assertEquals([...modules.keys()].sort(), committed);
    const differing = [...modules].filter(([name, bytes]) =>
      !equal(bytes, Deno.readFileSync(join(COMPILED, name)))
    );
    assertEquals(differing.map(([name]) => name), [], "run `deno task shaders`");
    assertEquals(table, Deno.readTextFileSync(TABLE), "run `deno task shaders`");
  },
});

const SHADER = `#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 0) in;
layout(constant_id = 3) const uint COUNT = 1;
layout(constant_id = 1) const bool FLAG = false;
layout(buffer_reference, scalar) buffer Floats { float v[]; };
layout(push_constant, scalar) uniform Push { uint n; Floats y; uint64_t from; int shift; float scale; } push;
void main() { if (FLAG) push.y.v[push.n + COUNT] = push.scale; }
`;

Deno.test({
  name: `reflect() reads push constants and specialization constants by name${needsCompiler}`,
  ignore: !compiler,
  fn: async () => {
    using folder = new TempDirectory();
    const source = folder.join("a.comp");
    Deno.writeTextFileSync(source, SHADER);
    const { named } = await compiler!.compile({ source, defines: {}, includes: [] });
    assertEquals(reflect(named), {
      push: [
        { name: "n", type: "u32", offset: 0 },
        { name: "y", type: "u64", offset: 8 },
        { name: "from", type: "u64", offset: 16 },
        { name: "shift", type: "i32", offset: 24 },
        { name: "scale", type: "f32", offset: 28 },
      ],
      constants: { WORKGROUP: 0, FLAG: 1, COUNT: 3 },
    });
  },
});

Deno.test({
  name: `ShaderCompiler.compile() says which line of which file is wrong${needsCompiler}`,
  ignore: !compiler,
  fn: async () => {
    using folder = new TempDirectory();
    const source = folder.join("broken.comp");
    Deno.writeTextFileSync(source, SHADER.replace("push.scale;", "push.scales;"));
    await assertFails(() => compiler!.compile({ source, defines: {}, includes: [] }), "broken.comp:10");
  },
});

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
