/**
 * Template text to syntax tree, by @huggingface/jinja's lexer and parser, with what they lack: the place of an error,
 * tests with arguments, and complaints about unknown filters and tests before anything is rendered.
 */
import { parse, tokenize } from "@huggingface/jinja";
import { findFilter } from "./filters.ts";
import { filterName, type NamedCall, type Statement } from "./syntax.ts";
import { TemplateError } from "./template_error.ts";
import { findTest } from "./tests.ts";

type Token = ReturnType<typeof tokenize>[number];

/** As Hugging Face sets up Jinja2 for chat templates. */
const WHITESPACE = { lstrip_blocks: true, trim_blocks: true };
const TAG = /\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}/gs;
/** Transformers' extension, which the lexer drops. */
const GENERATION_TAG = /^\{%-?\s*(?:end)?generation\s*-?%\}$/;
/** A filter of this prefix is a test with arguments in disguise; Jinja2 names cannot contain a colon. */
const TEST_PREFIX = "is:";
const NEGATED_TEST_PREFIX = "isnot:";

/** A parsed template. */
export interface ParsedTemplate {
  /** Its statements. */
  readonly program: readonly Statement[];
  /** Filters and tests that do not exist; rendering fails where it comes to one of them. */
  readonly warnings: readonly string[];
}

/** Parses a template. Throws {@linkcode TemplateError} with line and column of the tag that is not understood. */
export function parseTemplate(template: string): ParsedTemplate {
  const source = template.replace(/\r\n?/g, "\n");
  const tokens = lex(source);
  // The parser does not say where it fails; the last token that it looked at does.
  let furthest = 0;
  const reading = new Proxy(tokens, {
    get: (target, key) => {
      if (typeof key === "string" && /^\d+$/.test(key)) furthest = Math.max(furthest, Number(key));
      return Reflect.get(target, key);
    },
  });
  let program: Statement[];
  try {
    program = parse(reading).body as unknown as Statement[];
  } catch (error) {
    throw syntaxError(source, openTags(tokens, furthest), error);
  }
  const warnings = new Set<string>();
  checkNames(program, warnings);
  return { program, warnings: [...warnings] };
}

/** The name of the test that a filter stands for, and whether it is negated; undefined for a real filter. */
export function disguisedTest(filter: NamedCall): { name: string; negate: boolean } | undefined {
  const name = filterName(filter);
  if (name.startsWith(TEST_PREFIX)) return { name: name.slice(TEST_PREFIX.length), negate: false };
  if (name.startsWith(NEGATED_TEST_PREFIX)) {
    return { name: name.slice(NEGATED_TEST_PREFIX.length), negate: true };
  }
  return undefined;
}

function lex(source: string): Token[] {
  try {
    return disguiseTests(tokenize(source, WHITESPACE));
  } catch (error) {
    const broken = tagsOf(source).findIndex(({ text }) => fails(() => tokenize(text)));
    throw syntaxError(source, broken + 1, error);
  }
}

/** Rewrites `value is test(arguments)`, which the parser does not know, as a filter. */
function disguiseTests(tokens: Token[]): Token[] {
  const output: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const negate = isWord(tokens[i + 1], "not");
    const name = tokens[i + (negate ? 2 : 1)];
    const open = tokens[i + (negate ? 3 : 2)];
    if (!isWord(tokens[i], "is") || name?.type !== "Identifier" || open?.type !== "OpenParen") {
      output.push(tokens[i]);
      continue;
    }
    const prefix = negate ? NEGATED_TEST_PREFIX : TEST_PREFIX;
    output.push({ value: "|", type: "Pipe" }, { value: prefix + name.value, type: "Identifier" });
    i += negate ? 2 : 1;
  }
  return output;
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.type === "Identifier" && token.value === word;
}

/** How many tags begin among the tokens up to `index`. */
function openTags(tokens: readonly Token[], index: number): number {
  const opens = ({ type }: Token) => type === "OpenStatement" || type === "OpenExpression";
  return tokens.slice(0, index + 1).filter(opens).length;
}

/** All tags that reach the parser, with their place. */
function tagsOf(source: string): { text: string; index: number }[] {
  return [...source.matchAll(TAG)]
    .map((match) => ({ text: match[0], index: match.index }))
    .filter(({ text }) => !text.startsWith("{#") && !GENERATION_TAG.test(text));
}

function syntaxError(source: string, tagNumber: number, cause: unknown): TemplateError {
  // The parser runs off the end of its tokens with a TypeError.
  const reason = cause instanceof TypeError ? "the template ends too early" : (cause as Error).message;
  const tag = tagsOf(source).at(Math.max(tagNumber - 1, 0));
  if (!tag) return new TemplateError(reason, { cause });
  const before = source.slice(0, tag.index).split("\n");
  const place = `line ${before.length}, column ${before.at(-1)!.length + 1}`;
  return new TemplateError(`${place}: ${reason}`, { cause });
}

function fails(action: () => unknown): boolean {
  try {
    action();
    return false;
  } catch {
    return true;
  }
}

/** Collects the filters and tests that do not exist, wherever they are in the tree. */
function checkNames(node: unknown, warnings: Set<string>): void {
  if (Array.isArray(node)) return node.forEach((item) => checkNames(item, warnings));
  if (node instanceof Map) return [...node].flat().forEach((item) => checkNames(item, warnings));
  if (typeof node !== "object" || node === null) return;
  const statement = node as Statement;
  if (statement.type === "TestExpression") checkTest(statement.test.value, warnings);
  if (statement.type === "FilterExpression" || statement.type === "FilterStatement") {
    const test = disguisedTest(statement.filter);
    const name = filterName(statement.filter);
    if (test) checkTest(test.name, warnings);
    else if (!findFilter(name)) warnings.add(`The chat template uses a filter '${name}' that does not exist`);
  }
  Object.values(node).forEach((item) => checkNames(item, warnings));
}

function checkTest(name: string, warnings: Set<string>): void {
  if (!findTest(name)) warnings.add(`The chat template uses a test '${name}' that does not exist`);
}
