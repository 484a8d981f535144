/** All families, one line each; `general.architecture` chooses. */
import { UserError } from "../common/errors.ts";
import { apertus } from "./apertus.ts";
import { arcee } from "./arcee.ts";
import { bloom } from "./bloom.ts";
import { cohere2, commandR } from "./cohere.ts";
import { ernie4_5 } from "./ernie4_5.ts";
import { exaone4 } from "./exaone4.ts";
import { falcon } from "./falcon.ts";
import type { Family } from "./family.ts";
import { gemma, gemma2, gemma3, gemmaEmbedding } from "./gemma.ts";
import { glm4 } from "./glm4.ts";
import { gpt2, starcoder } from "./gpt2.ts";
import { gptj } from "./gptj.ts";
import { gptneox } from "./gptneox.ts";
import { granite } from "./granite.ts";
import { hunyuanDense } from "./hunyuan_dense.ts";
import { llama } from "./llama.ts";
import { ministral3 } from "./ministral3.ts";
import { mpt } from "./mpt.ts";
import { nemotron } from "./nemotron.ts";
import { olmo2 } from "./olmo2.ts";
import { phi2 } from "./phi2.ts";
import { phi3 } from "./phi3.ts";
import { qwen2, qwen3 } from "./qwen.ts";
import { seedOss } from "./seed_oss.ts";
import { smollm3 } from "./smollm3.ts";
import { stablelm } from "./stablelm.ts";
import { starcoder2 } from "./starcoder2.ts";

/** Every family that zinc runs. */
export const FAMILIES: readonly Family[] = [
  llama,
  ministral3,
  apertus,
  arcee,
  bloom,
  commandR,
  cohere2,
  ernie4_5,
  exaone4,
  falcon,
  gemma,
  gemma2,
  gemma3,
  gemmaEmbedding,
  glm4,
  gpt2,
  starcoder,
  gptj,
  gptneox,
  granite,
  hunyuanDense,
  mpt,
  nemotron,
  olmo2,
  phi2,
  phi3,
  qwen2,
  qwen3,
  seedOss,
  smollm3,
  stablelm,
  starcoder2,
];

/** The family for a file's `general.architecture`. */
export function familyOf(architecture: string, path: string): Family {
  const family = FAMILIES.find((candidate) => candidate.architectures.includes(architecture));
  if (!family) {
    const supported = FAMILIES.flatMap((candidate) => candidate.architectures).sort().join(", ");
    throw new UserError(
      `Cannot load "${path}": architecture "${architecture}" is not supported (supported: ${supported})`,
    );
  }
  return family;
}
