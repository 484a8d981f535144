/** All families, one line each; `general.architecture` chooses. */
import { UserError } from "../common/errors.ts";
import { apertus } from "./apertus.ts";
import { arcee } from "./arcee.ts";
import { bert, nomicBert } from "./bert.ts";
import { bloom } from "./bloom.ts";
import { cohere2, commandR } from "./cohere.ts";
import { deepseek2 } from "./deepseek2.ts";
import { ernie4_5 } from "./ernie4_5.ts";
import { exaone4 } from "./exaone4.ts";
import { falcon } from "./falcon.ts";
import { falconH1 } from "./falcon_h1.ts";
import type { Family } from "./family.ts";
import { gemma, gemma2, gemma3, gemmaEmbedding } from "./gemma.ts";
import { gemma4 } from "./gemma4.ts";
import { glm4 } from "./glm4.ts";
import { glm4Moe } from "./glm4_moe.ts";
import { gpt2, starcoder } from "./gpt2.ts";
import { gptOss } from "./gpt_oss.ts";
import { gptj } from "./gptj.ts";
import { gptneox } from "./gptneox.ts";
import { granite } from "./granite.ts";
import { graniteHybrid } from "./granite_hybrid.ts";
import { graniteMoe } from "./granite_moe.ts";
import { hunyuanDense } from "./hunyuan_dense.ts";
import { jamba } from "./jamba.ts";
import { lfm2, lfm2Moe } from "./lfm2.ts";
import { llama } from "./llama.ts";
import { llama4 } from "./llama4.ts";
import { mamba, mamba2 } from "./mamba.ts";
import { ministral3 } from "./ministral3.ts";
import { modernBert } from "./modern_bert.ts";
import { mpt } from "./mpt.ts";
import { nemotron } from "./nemotron.ts";
import { nemotronH } from "./nemotron_h.ts";
import { olmo2 } from "./olmo2.ts";
import { olmoe } from "./olmoe.ts";
import { orion } from "./orion.ts";
import { phi2 } from "./phi2.ts";
import { phi3 } from "./phi3.ts";
import { qwen2, qwen3 } from "./qwen.ts";
import { qwen35, qwen35Moe, qwen3Next } from "./qwen_hybrid.ts";
import { qwen2Moe, qwen3Moe } from "./qwen_moe.ts";
import { rwkv7 } from "./rwkv7.ts";
import { seedOss } from "./seed_oss.ts";
import { smollm3 } from "./smollm3.ts";
import { stablelm } from "./stablelm.ts";
import { starcoder2 } from "./starcoder2.ts";
import { t5 } from "./t5.ts";

/** Every family that zinc runs. */
export const FAMILIES: readonly Family[] = [
  llama,
  ministral3,
  apertus,
  arcee,
  bert,
  nomicBert,
  modernBert,
  bloom,
  commandR,
  cohere2,
  ernie4_5,
  exaone4,
  falcon,
  gemma,
  gemma2,
  gemma3,
  gemma4,
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
  orion,
  phi2,
  phi3,
  qwen2,
  qwen3,
  seedOss,
  smollm3,
  stablelm,
  starcoder2,
  t5,
  deepseek2,
  falconH1,
  glm4Moe,
  gptOss,
  graniteHybrid,
  graniteMoe,
  jamba,
  lfm2,
  lfm2Moe,
  llama4,
  mamba,
  mamba2,
  nemotronH,
  olmoe,
  qwen35,
  qwen35Moe,
  qwen3Next,
  qwen2Moe,
  qwen3Moe,
  rwkv7,
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
