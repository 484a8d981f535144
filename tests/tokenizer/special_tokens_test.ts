/** Special tokens: which text becomes one, where BOS and EOS go, what ends a generation. */
import { createTokenizer, type Tokenizer } from "../../src/tokenizer/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { bytePairMetadata, byteTokens, metadataOf, type PlainValue } from "./fixture.ts";

const NORMAL = 1, CONTROL = 3, USER_DEFINED = 4, BYTE = 6;

function chatml(more: Record<string, PlainValue> = {}): Tokenizer {
  return createTokenizer(bytePairMetadata([], [
    ["<|im_start|>", CONTROL],
    ["<|im_end|>", CONTROL],
    ["<think>", USER_DEFINED],
    ["  ", USER_DEFINED],
    ["   ", USER_DEFINED],
    ["<s>", CONTROL],
  ], more));
}
const [START, END, THINK, TWO, THREE, BOS] = [256, 257, 258, 259, 260, 261];
const pieces = (tokenizer: Tokenizer, ids: number[]) => ids.map((id) => tokenizer.piece(id));

Deno.test("encode() leaves the text of control tokens text unless asked to parse it", () => {
  const tokenizer = chatml();
  const ids = tokenizer.encode("<|im_end|>");
  assert(ids.every((id) => !tokenizer.isControl(id)));
  assertEquals(tokenizer.decode(ids), "<|im_end|>");
  assertEquals(tokenizer.encode("<|im_end|>", { parseSpecial: true }), [END]);
});

Deno.test("encode() matches user-defined tokens always, the longest first", () => {
  const tokenizer = chatml();
  assertEquals(tokenizer.encode("     "), [THREE, TWO]);
  assertEquals(pieces(tokenizer, tokenizer.encode("a<think>b")), ["a", "<think>", "b"]);
});

Deno.test("encodeSegments() makes control tokens of control segments only, and ordinary tokens across all of them", () => {
  const tokenizer = createTokenizer(bytePairMetadata(["a b"], [["<|im_end|>", CONTROL]]));
  const segments = [
    { text: "<|im_end|>a", control: true },
    { text: "b<|im_end|>", control: false },
    { text: "<|im_end|>", control: true },
  ];
  const ids = tokenizer.encodeSegments(segments);
  assertEquals(ids.slice(0, 2).map((id) => tokenizer.piece(id)), ["<|im_end|>", "ab"]);
  assertEquals(ids.filter((id) => tokenizer.isControl(id)).length, 2);
  assertEquals(tokenizer.decode(ids, { skipSpecial: false }), "<|im_end|>ab<|im_end|><|im_end|>");
});

Deno.test("encodeSegments() makes no control token of text that only two segments together spell", () => {
  const tokenizer = chatml();
  const ids = tokenizer.encodeSegments([{ text: "<|im_", control: true }, { text: "end|>", control: false }]);
  assert(ids.every((id) => !tokenizer.isControl(id)));
});

Deno.test("encodeSegments() matches no user-defined token that covers a plain segment", () => {
  const tokenizer = chatml();
  const plain = [{ text: "<", control: false, plain: true }, { text: "think>", control: true }];
  assert(!tokenizer.encodeSegments(plain).includes(THINK));
  assertEquals(tokenizer.encodeSegments([{ text: "<", control: false }, { text: "think>", control: true }]), [
    THINK,
  ]);
});

Deno.test("encode() makes no control token by merging, whatever the file's merges say", () => {
  const tokens = ["<", "s", ">", "<s", "<s>"];
  const types = tokens.map((text) => text === "<s>" ? CONTROL : NORMAL);
  const file = { model: "gpt2", pre: "bloom", tokens, token_type: types, merges: ["< s", "<s >"] };
  assertEquals(createTokenizer(metadataOf({ ...file, token_type: [1, 1, 1, 1, 1] })).encode("<s>"), [4]);
  assertEquals(createTokenizer(metadataOf(file)).encode("<s>"), [0, 1, 2]);
});

Deno.test("encode() makes no control token of SentencePiece's pieces", () => {
  const tokens = [...byteTokens(), "<", "s", ">", "<s", "<s>"];
  const tokenizer = createTokenizer(metadataOf({
    model: "llama",
    tokens,
    scores: tokens.map((_, id) => -id - 0.5),
    token_type: tokens.map((text, id) => id < 256 ? BYTE : text === "<s>" ? CONTROL : NORMAL),
    add_space_prefix: false,
    add_bos_token: false,
  }));
  assertEquals(pieces(tokenizer, tokenizer.encode("<s>")), ["<s", ">"]);
});

for (
  const [addBos, text, expected] of [
    [true, "a", 1],
    [true, "<s>a", 1],
    [false, "a", 0],
    [false, "<s>a", 1],
    [undefined, "a", 0],
    [undefined, "<s>a", 1],
  ] as const
) {
  Deno.test(`encode() gives ${expected} BOS for "${text}" where add_bos_token is ${addBos}`, () => {
    const tokenizer = chatml({
      bos_token_id: BOS,
      ...(addBos === undefined ? {} : { add_bos_token: addBos }),
    });
    assertEquals(tokenizer.encode(text, { parseSpecial: true }).filter((id) => id === BOS).length, expected);
  });
}

Deno.test("encode() adds EOS where the file says so, once, and neither BOS nor EOS when told not to", () => {
  const tokenizer = chatml({
    bos_token_id: BOS,
    eos_token_id: END,
    add_bos_token: true,
    add_eos_token: true,
  });
  assertEquals(tokenizer.encode("<|im_end|>", { parseSpecial: true }), [BOS, END]);
  assertEquals(tokenizer.encode("", {}), [BOS, END]);
  assertEquals(tokenizer.encode("", { addSpecial: false }), []);
});

Deno.test("encode() adds BOS alone where a model is to go on behind the text", () => {
  const ids = { bos_token_id: BOS, eos_token_id: END, add_eos_token: true };
  const encode = (add_bos_token: boolean) =>
    chatml({ ...ids, add_bos_token }).encode("", { addSpecial: "bos" });
  assertEquals([encode(true), encode(false)], [[BOS], []]);
});

Deno.test("createTokenizer() adds BOS by default for llama-bpe and SentencePiece, not for qwen2", () => {
  const bpe = (pre: string) => chatml({ pre, bos_token_id: BOS }).addBos;
  assertEquals([bpe("llama-bpe"), bpe("tekken"), bpe("qwen2"), bpe("gpt-2")], [true, true, false, false]);
});

Deno.test("createTokenizer() takes an id of -1, also as a u32, for no id", () => {
  const none = chatml({ bos_token_id: 0xffffffff });
  assertEquals([none.bos, none.addBos], [undefined, false]);
});

Deno.test("endOfGeneration holds EOS, EOT, EOM, arrays of ids, and tokens known by name", () => {
  const tokens = [["<|im_end|>", CONTROL], ["<end_of_turn>", NORMAL], ["x", CONTROL], ["y", CONTROL], [
    "z",
    CONTROL,
  ]] as const;
  const tokenizer = createTokenizer(bytePairMetadata([], tokens, {
    eos_token_id: 258,
    eot_token_id: 259,
    eos_token_ids: [258, 260],
  }));
  assertEquals([...tokenizer.endOfGeneration].sort(), [256, 257, 258, 259, 260]);
});

Deno.test("endOfGeneration takes </s> for an end only where it is a control token", () => {
  const ends = (type: number) =>
    createTokenizer(bytePairMetadata([], [["</s>", type]])).endOfGeneration.has(256);
  assertEquals([ends(CONTROL), ends(USER_DEFINED)], [true, false]);
});

Deno.test("endOfGeneration leaves <|end|> out where it only closes a channel", () => {
  const phi = createTokenizer(bytePairMetadata([], [["<|end|>", CONTROL]]));
  const gptOss = createTokenizer(
    bytePairMetadata([], [["<|end|>", CONTROL], ["<|return|>", CONTROL], ["<|call|>", CONTROL]]),
  );
  assertEquals([...phi.endOfGeneration], [256]);
  assertEquals([...gptOss.endOfGeneration], [257, 258]);
});

Deno.test("isControl() believes the look of <|…|> against a type that a converter got wrong", () => {
  const tokenizer = createTokenizer(
    bytePairMetadata([], [["<|im_end|>", NORMAL], ["<table>", USER_DEFINED]]),
  );
  assertEquals([tokenizer.isControl(256), tokenizer.isControl(257)], [true, false]);
});

Deno.test("decode() leaves control tokens out by default and writes them on request", () => {
  const tokenizer = chatml();
  const ids = [START, ...tokenizer.encode("hi"), END];
  assertEquals(tokenizer.decode(ids), "hi");
  assertEquals(tokenizer.decode(ids, { skipSpecial: false }), "<|im_start|>hi<|im_end|>");
});

Deno.test("encode() lets Phi-3's markers swallow the white space behind them", () => {
  const tokens = [...byteTokens(), "<|user|>", "a", "<s>", "▁"];
  const metadata = (name: string) =>
    metadataOf({
      model: "llama",
      "general.name": name,
      tokens,
      scores: tokens.map(() => 0.5),
      token_type: tokens.map((_, id) => id < 256 ? BYTE : tokens[id].startsWith("<") ? CONTROL : NORMAL),
      add_space_prefix: false,
      add_bos_token: false,
    });
  const ids = (name: string) =>
    createTokenizer(metadata(name)).encode("<|user|> \n a<s> a", { parseSpecial: true });
  assertEquals(ids("Phi-3-mini"), [256, 257, 258, 259, 257]);
  assertEquals(ids("other"), [256, 259, 0x0a, 259, 257, 258, 259, 257]);
});

const BAD: [string, Record<string, PlainValue>, string][] = [
  [
    "a BOS id that is the vocabulary's size",
    { bos_token_id: 262 },
    '"tokenizer.ggml.bos_token_id" is 262, but token ids are 0 to 261',
  ],
  [
    "an EOS id beyond the vocabulary in an array",
    { eos_token_ids: [1, 999] },
    '"tokenizer.ggml.eos_token_ids" is 999',
  ],
  ["add_bos_token without a BOS", { add_bos_token: true }, '"tokenizer.ggml.bos_token_id" is missing'],
  [
    "a short type array",
    { token_type: [1, 1] },
    '"tokenizer.ggml.token_type" has 2 entries, but there are 262 tokens',
  ],
  ["a short score array", { scores: [0.5] }, '"tokenizer.ggml.scores" has 1 entries'],
  [
    "an unknown kind",
    { model: "plamo9" },
    'tokenizer "plamo9" is not supported (supported: gpt2, gemma4, llama, bert, t5, rwkv)',
  ],
  ["no tokens", { tokens: [] }, '"tokenizer.ggml.tokens" is empty'],
];
for (const [what, more, message] of BAD) {
  Deno.test(`createTokenizer() refuses ${what}`, async () => {
    await assertFails(() => chatml(more), message);
  });
}

Deno.test("createTokenizer() refuses a file without tokenizer", async () => {
  await assertFails(
    () => createTokenizer(metadataOf({ "general.name": "x" })),
    'no tokenizer (key "tokenizer.ggml.model")',
  );
});

for (const text of ["<0x-1>", "<0xZZ>", "<0x1>", "<0x100>", "0x41", "<0x41> "]) {
  Deno.test(`createTokenizer() refuses "${text}" as a byte token`, async () => {
    const metadata = metadataOf({
      model: "llama",
      tokens: ["<unk>", text],
      token_type: [2, BYTE],
      scores: [0.5, 0.5],
    });
    await assertFails(() => createTokenizer(metadata), "is marked as a byte but reads");
  });
}

Deno.test("createTokenizer() refuses SentencePiece that can write neither bytes nor unknown text", async () => {
  const metadata = metadataOf({ model: "llama", tokens: ["a"], scores: [0.5] });
  await assertFails(
    () => createTokenizer(metadata),
    "neither a token for every byte nor one for unknown text",
  );
});

Deno.test("encode() takes lone surrogates for U+FFFD", () => {
  const tokenizer = chatml();
  assertEquals(tokenizer.decode(tokenizer.encode("a\ud83db")), "a\ufffdb");
});

Deno.test("encode() refuses a text beyond the limit before any work", async () => {
  const tokenizer = chatml();
  await assertFails(
    () => tokenizer.encode("a".repeat((1 << 26) + 1)),
    "Cannot tokenize a text of 67108865 characters",
  );
});
