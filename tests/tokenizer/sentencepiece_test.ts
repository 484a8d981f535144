/**
 * SentencePiece's two algorithms against SentencePiece itself: data/sentencepiece.json holds tiny models that it
 * trained and its own ids for texts with what such models get wrong (spaces at the ends, unknown characters, line
 * breaks, normalization).
 */
import { decodeBase64 } from "./base64.ts";
import data from "./data/sentencepiece.json" with { type: "json" };
import { createTokenizer } from "../../src/tokenizer/create_tokenizer.ts";
import type { Tokenizer } from "../../src/tokenizer/tokenizer.ts";
import { assertEquals } from "../support/assert.ts";
import { metadataOf } from "./fixture.ts";

type Model = typeof data[keyof typeof data];

function tokenizerOf(kind: "llama" | "t5", model: Model): Tokenizer {
  return createTokenizer(metadataOf({
    model: kind,
    tokens: model.pieces,
    scores: model.scores.map((score) => score + 0.5e-9), // never whole, so that they are stored as floats
    token_type: model.types,
    unknown_token_id: model.unknown,
    bos_token_id: model.bos,
    eos_token_id: model.eos,
    add_space_prefix: model.add_space_prefix,
    remove_extra_whitespaces: model.remove_extra_whitespaces,
    ...(model.charsmap ? { precompiled_charsmap: decodeBase64(model.charsmap) } : {}),
  }));
}

const CASES = [
  ["llama", "bpe"],
  ["llama", "bpe_without_prefix"],
  ["t5", "unigram"],
  ["t5", "unigram_keeping_spaces"],
] as const;

for (const [kind, name] of CASES) {
  const model = data[name];
  const tokenizer = tokenizerOf(kind, model);
  for (const { text, ids } of model.cases) {
    Deno.test(`encode() gives SentencePiece's ids with ${name} for ${JSON.stringify(text)}`, () => {
      assertEquals(tokenizer.encode(text, { addSpecial: false }), ids);
    });
  }
}
