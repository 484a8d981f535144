/**
 * The table of pre-tokenizers: for every known value of `tokenizer.ggml.pre` the regular expressions that cut text
 * into words before byte-pair encoding.
 *
 * The expressions are those of the models' own tokenizer.json files, as collected in llama.cpp
 * (src/llama-vocab.cpp), in that notation: `\s` is the Unicode property White_Space, `\p{Han}` a script. Several
 * expressions apply one after the other, each inside the pieces that the one before left.
 */

/**
 * Cuts runs of digits into groups of three counted from the right. As an expression, `\\d{1,3}(?=(?:\\d{3})*(?!\\d))`
 * looks ahead over the whole run for every group, which is quadratic; so it is a rule of its own.
 */
export interface DigitGroups {
  /** `"word-end"`: only runs that no word character follows. */
  readonly groupDigits: "always" | "word-end";
}

/** One row of the table. */
export interface PreTokenizerRow {
  /** Values of `tokenizer.ggml.pre`. */
  readonly names: readonly string[];
  /** Applied in order. */
  readonly expressions: readonly (string | DigitGroups)[];
  /** A word that is itself a token is that token, whatever the merges say. */
  readonly ignoreMerges?: boolean;
  /** Symbols are characters, with U+2581 for a space, instead of bytes. */
  readonly characters?: boolean;
  /** BOS is added where the file does not say. */
  readonly addBos?: boolean;
}

// Spelled out, since the flag `i` would also let U+017F match an s.
const CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
const SPACES = String.raw`\s+(?!\S)|\s+`;
const GPT2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|` + SPACES;
const DIGIT = String.raw`\p{N}`;
const UP_TO_3_DIGITS = String.raw`\p{N}{1,3}`;
const LINES = String.raw`[^\n]+|[\n]+`;

/** What varies between the descendants of OpenAI's cl100k_base. */
interface Cl100k {
  digits: string;
  /** Character class, without its brackets, of what words are made of. */
  letters?: string;
  /** What a run of punctuation excludes beside white space, letters and numbers. */
  punctuationExcludes?: string;
  /** What a run of punctuation takes with it. */
  punctuationTail?: string;
  newlines?: string;
  spaces?: string;
}

function cl100k(form: Cl100k): string {
  const {
    digits,
    letters = String.raw`\p{L}`,
    punctuationExcludes = "",
    punctuationTail = String.raw`[\r\n]*`,
    newlines = String.raw`\s*[\r\n]+`,
    spaces = SPACES,
  } = form;
  return [
    CONTRACTION,
    String.raw`[^\r\n\p{L}\p{N}]?[${letters}]+`,
    digits,
    String.raw` ?[^\s${letters}\p{N}${punctuationExcludes}]+${punctuationTail}`,
    newlines,
    spaces,
  ].join("|");
}

const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;

/** The descendants of OpenAI's o200k_base: words are cut where lower case turns to upper case. */
function o200k(
  form: { digits: string; suffix: string; upper?: string; lower?: string; punctuationTail?: string },
): string {
  const { digits, suffix, upper = UPPER, lower = LOWER, punctuationTail = String.raw`[\r\n/]*` } = form;
  return [
    String.raw`[^\r\n\p{L}\p{N}]?${upper}*${lower}+${suffix}`,
    String.raw`[^\r\n\p{L}\p{N}]?${upper}+${lower}*${suffix}`,
    digits,
    String.raw` ?[^\s\p{L}\p{N}]+${punctuationTail}`,
    String.raw`\s*[\r\n]+`,
    SPACES,
  ].join("|");
}

/** A character class of hexadecimal code points and ranges: written so, no editor can normalize a character away. */
function codePoints(ranges: string): string {
  return `[${ranges.replaceAll(/[0-9a-f]+/g, (hex) => `\\u{${hex}}`).replaceAll(" ", "")}]`;
}

const KANA_AND_IDEOGRAPHS = codePoints("4e00-9fa5 3040-309f 30a0-30ff") + "+";
const DEEPSEEK_CJK = codePoints("4e00-9fa5 800-4e00 ac00-d7ff") + "+";
// The cased letters of an old Unicode version.
const DEEPSEEK_LETTERS = codePoints(
  "41-5a 61-7a b5 c0-d6 d8-f6 f8-1ba 1bc-1bf 1c4-293 295-2af 370-373 376-377 37b-37d 37f 386 388-38a 38c 38e-3a1 " +
    "3a3-3f5 3f7-481 48a-52f 531-556 10a0-10c5 13a0-13f5 13f8-13fd 1c90-1cba 1cbd-1cbf 1d00-1d2b 1d6b-1d77 " +
    "1d79-1d9a 1e00-1f15 1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 1f59 1f5b 1f5d 1f5f-1f7d 1f80-1fb4 1fb6-1fbc " +
    "1fbe 1fc2-1fc4 1fc6-1fcc 1fd0-1fd3 1fd6-1fdb 1fe0-1fec 1ff2-1ff4 1ff6-1ffc 2102 2107 210a-2113 2115 " +
    "2119-211d 2124 2126 2128 212a-212d 212f-2134 2139 213c-213f 2145-2149 214e 2183-2184 2c00-2c7b 2c7e-2ce4 " +
    "2ceb-2cee 2cf2-2cf3 a640-a66d a680-a69b a722-a76f a771-a787 a78b-a78e ab70-abbf fb00-fb06 fb13-fb17 " +
    "ff21-ff3a ff41-ff5a 10400-1044f 104b0-104d3 104d8-104fb 10c80-10cb2 10cc0-10cf2 118a0-118df 1e900-1e943",
);
const DEEPSEEK_PUNCTUATION = codePoints("21-2f 3a-7e ff01-ff0f ff1a-ff5e 2018-201f 3000-3002");
// Ideographs, kana, radicals, Thai, Lao, Khmer, Burmese, Hangul.
const ASIAN_SCRIPTS = codePoints(
  "4e00-9fff 3400-4dbf f900-faff 3040-309f 30a0-30ff ff65-ff9f 2f00-2fdf e40-e7f e80-eff 1780-17ff 1000-109f " +
    "aa60-aa7f a9e0-a9ff ac00-d7af 1100-11ff",
);
const CJK_PUNCTUATION = codePoints("ff01 2026 201c 201d 2018 2019 2014 ff1a ff1b ff0c 3001-303f fe30-fe4f");
// Punctuation may lead ASCII letters, and marks belong to letters.
const DEEPSEEK_V3 =
  String.raw`[!"#$%&'()*+,\-.\/:;<=>?@\[\\\]^_\x60{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|` +
  String.raw` ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|` + SPACES;
const BLOOM = " ?[^" + codePoints("28 7c 2e 2c 21 3f 2026 3002 ff0c 3001 964 6d4 60c 29").slice(1, -1) +
  String.raw`\s]+`;
const NOT_HAN = String.raw`(?!\p{Han})`;
const JAIS2_SPACES = [512, 256, 128, 64, 32, 16, 8, 4].map((n) => String.raw`\s{${n}}(?!\S)`).join("|") +
  String.raw`|\s{1,2}(?!\S)|\s`;

/** All rows; a name occurs once. */
export const PRE_TOKENIZER_ROWS: readonly PreTokenizerRow[] = [
  {
    names:
      "gpt-2 phi-2 mpt olmo jais trillion granite-docling exaone4 jina-es jina-de jina-v1-en jina-v2-es jina-v2-de"
        .concat(" jina-v2-code roberta-bpe gigachat a.x-4.0 mellum modern-bert").split(" "),
    expressions: [GPT2],
  },
  {
    names: ["starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"],
    expressions: [DIGIT, GPT2],
  },
  {
    names: "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano".split(" "),
    expressions: [cl100k({ digits: UP_TO_3_DIGITS })],
    ignoreMerges: true,
    addBos: true,
  },
  { names: ["dbrx", "smaug-bpe", "glm4", "chatglm-bpe"], expressions: [cl100k({ digits: UP_TO_3_DIGITS })] },
  {
    names: "qwen2 stablelm2 hunyuan solar-open megrez deepseek-r1-qwen kormo f2llmv2 grok-2".split(" "),
    expressions: [cl100k({ digits: DIGIT })],
  },
  { names: ["qwen35"], expressions: [cl100k({ digits: DIGIT, letters: String.raw`\p{L}\p{M}` })] },
  {
    names: ["seed-coder"],
    expressions: [cl100k({ digits: DIGIT, punctuationExcludes: String.raw`\r\n`, punctuationTail: "" })],
  },
  {
    names: ["bailingmoe", "bailingmoe2", "llada-moe"],
    expressions: [cl100k({ digits: DIGIT, newlines: String.raw`\s*[\r\n]` })],
  },
  {
    names: ["minicpm5"],
    expressions: [UP_TO_3_DIGITS, cl100k({ digits: String.raw`\p{N}+` })],
    ignoreMerges: true,
  },
  { names: ["laguna"], expressions: [LINES, cl100k({ digits: DIGIT })] },
  { names: ["jais-2"], expressions: [cl100k({ digits: UP_TO_3_DIGITS, spaces: JAIS2_SPACES })] },
  {
    names: ["exaone-moe"],
    expressions: [
      String.raw`${CONTRACTION}|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}|` +
      String.raw` ?[^\s\p{L}\p{N}]+[\r\n\/]?|\s*[\r\n]|` + SPACES,
    ],
  },
  {
    names: ["tekken"],
    expressions: [o200k({ digits: DIGIT, suffix: "" })],
    ignoreMerges: true,
    addBos: true,
  },
  {
    names: ["gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"],
    expressions: [o200k({ digits: UP_TO_3_DIGITS, suffix: CONTRACTION + "?" })],
  },
  {
    names: ["granite-embed-multi-97m"],
    expressions: [o200k({ digits: UP_TO_3_DIGITS, suffix: CONTRACTION + "?" })],
    ignoreMerges: true,
  },
  {
    names: ["tiny_aya", "cohere2moe"],
    expressions: [
      { groupDigits: "word-end" },
      o200k({ digits: UP_TO_3_DIGITS, suffix: CONTRACTION + "?" }),
    ],
  },
  {
    names: ["kimi-k2"],
    expressions: [
      String.raw`\p{Han}+|` + o200k({
        digits: UP_TO_3_DIGITS,
        suffix: CONTRACTION + "?",
        upper: `(?:${NOT_HAN}${UPPER})`,
        lower: `(?:${NOT_HAN}${LOWER})`,
        punctuationTail: String.raw`[\r\n]*`,
      }),
    ],
  },
  {
    names: ["deepseek-llm"],
    expressions: [
      String.raw`[\r\n]`,
      String.raw`\s?${DEEPSEEK_LETTERS}+`,
      String.raw`\s?${DEEPSEEK_PUNCTUATION}+`,
      String.raw`\s+$`,
      DEEPSEEK_CJK,
      String.raw`\p{N}+`,
    ],
  },
  {
    names: ["deepseek-coder"],
    expressions: [String.raw`[\r\n]`, String.raw`\s?\p{L}+`, String.raw`\s?\p{P}+`, DEEPSEEK_CJK, DIGIT],
  },
  {
    names: ["deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"],
    expressions: [UP_TO_3_DIGITS, KANA_AND_IDEOGRAPHS, DEEPSEEK_V3],
  },
  {
    names: ["youtu"],
    expressions: [
      `${codePoints("ac00-d7a3 3131-318e")}+|${CJK_PUNCTUATION}+|${
        codePoints("3105-312f")
      }+|${KANA_AND_IDEOGRAPHS}`,
      o200k({ digits: DIGIT, suffix: CONTRACTION + "?" }),
    ],
    ignoreMerges: true,
  },
  {
    names: ["afmoe"],
    expressions: [{ groupDigits: "always" }, ASIAN_SCRIPTS + "+", DEEPSEEK_V3],
  },
  { names: ["superbpe"], expressions: [String.raw`\p{N}+`, { groupDigits: "always" }] },
  { names: ["falcon"], expressions: [String.raw`[\p{P}$+<=>\^~\|\x60]+`, GPT2, "[0-9][0-9][0-9]"] },
  { names: ["bloom", "poro-chat", "gpt3-finnish"], expressions: [BLOOM] },
  { names: ["viking"], expressions: [BLOOM, DIGIT] },
  {
    names: ["chameleon"],
    expressions: [
      "<sentinel:[0-9]+>",
      "IMGIMG[A-I]{1,4}Z",
      String.raw`[\t\n]|    |  `,
      DIGIT,
      String.raw`[\p{P}!-\/:-@\[-\x60\{-~]`,
      GPT2,
    ],
    addBos: true,
  },
  { names: ["gemma4", "granite-embed-multi-311m", "sarvam-moe"], expressions: [LINES], characters: true },
  {
    names: ["default"],
    expressions: [String.raw`[\p{P}$+<=>\^~\|]+`, GPT2, String.raw`\p{N}+`, "[0-9][0-9][0-9]"],
  },
];
