/**
 * Compiles decode.comp for every format that has an include: `deno run -A tests/quant/shaders/build.ts` after a change
 * of shaders/formats. The results are committed, so that the tests need no compiler.
 */
import { fileURLToPath } from "node:url";
import type { FormatName } from "../../../src/quant/formats.ts";
import { ShaderCompiler } from "../../../tools/shader_compiler.ts";
import { deviceFormats } from "../golden.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const SHADERS = fileURLToPath(new URL("../../../shaders", import.meta.url));

/** Path of the compiled module of a format. */
export function compiledPath(format: FormatName): string {
  return `${FOLDER}decode.${format}.spv`;
}

/** Compiles decode.comp for one format. */
export async function compileDecode(compiler: ShaderCompiler, format: FormatName): Promise<Uint8Array> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/format.glsl`, `#include "formats/${format}.glsl"\n`);
    const source = `${FOLDER}decode.comp`;
    return (await compiler.compile({ source, defines: {}, includes: [SHADERS, folder] })).optimised;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const compiler = await ShaderCompiler.findOrInstall();
  for (const format of deviceFormats()) {
    await Deno.writeFile(compiledPath(format), await compileDecode(compiler, format));
  }
}
