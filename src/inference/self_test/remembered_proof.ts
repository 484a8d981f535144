/**
 * Remembers, beside the compiled pipelines, that a device's matrix units gave the right answers. What was proved is named in full: the
 * device, its driver, zinc's version and the shaders. Whatever else the file holds is no proof, and a failure is never remembered.
 */
import { dirname } from "node:path";
import config from "../../../deno.json" with { type: "json" };
import { SHADERS } from "../../kernels/shader_table.ts";
import { type Adapter, cachePath, fnv1a } from "../../vulkan/mod.ts";

/** What a proof depends on. */
export type ProvenAdapter = Pick<
  Adapter,
  "name" | "uuid" | "driverInfo" | "pipelineCacheUuid" | "driverVersion"
>;

/** Whether `prove` was right about `adapter` at an earlier start; otherwise asks it, and remembers it if it is. */
export async function rememberedProof(
  adapter: ProvenAdapter,
  prove: () => Promise<boolean>,
): Promise<boolean> {
  const path = cachePath(adapter, "proof");
  const proof = proofOf(adapter);
  if (path !== null && readProof(path) === proof) return true;
  const right = await prove();
  if (right && path !== null) writeProof(path, proof);
  return right;
}

function proofOf({ name, uuid, driverInfo }: ProvenAdapter): string {
  const shaders = [SHADERS.matmul_coopmat.modules.f16, SHADERS.attention_coopmat.modules];
  return `${JSON.stringify([config.version, shaders.map(fnv1a), name, uuid, driverInfo])}\n`;
}

function readProof(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

/** A folder that cannot be written costs the proof at every start. */
function writeProof(path: string, proof: string): void {
  try {
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeTextFileSync(path, proof);
  } catch { /* as said */ }
}
