/**
 * A model's chat template: Jinja2 text in `tokenizer.chat_template` that writes a conversation the way the model was
 * trained to read it.
 */
import { UserError } from "../common/errors.ts";
import { printable } from "../common/printable.ts";
import { BUILTIN_TEMPLATE_NAMES, builtinTemplate } from "./builtin_templates.ts";
import { type ChatMessage, type MessageForm, toTemplateMessages } from "./chat_messages.ts";
import { renderTemplate } from "./template/interpreter.ts";
import { type TemplateLiterals, templateLiterals } from "./template/literals.ts";
import { type ParsedTemplate, parseTemplate } from "./template/parse.ts";
import { TemplateError } from "./template/template_error.ts";
import { type Dict, fromJs, type Value } from "./template/values.ts";
import type { TokenizerMetadata } from "./vocabulary.ts";

/** Options of {@linkcode ChatTemplate.render}. */
export interface RenderOptions {
  /** Begin the assistant's answer. Default true. */
  addGenerationPrompt?: boolean;
  /** Tools that the model may call, as in the OpenAI API. */
  tools?: readonly unknown[];
  /** Further variables, e.g. `{ enable_thinking: false }`. */
  variables?: Readonly<Record<string, unknown>>;
  /** Join neighbouring messages of one role, for templates that insist on turns. Default false. */
  mergeNeighbours?: boolean;
  /** The time that the template may print. Default now. */
  now?: Date;
}

/** Changes the variables of a rendering before the template sees them. */
export type VariableFilter = (variables: Dict) => Dict;

/** Texts of the tokens that templates name (`bos_token` …), by variable. */
export type SpecialTexts = Readonly<Record<string, string>>;

const KEY = "tokenizer.chat_template";
/** The name of the second template that some files have, for conversations with tools. */
const TOOL_TEMPLATE = "tool_use";
const TOKEN_ROLES: Record<string, string> = {
  bos_token: "bos",
  eos_token: "eos",
  unk_token: "unknown",
  pad_token: "padding",
  sep_token: "seperator",
  cls_token: "cls",
  mask_token: "mask",
};
const NEEDLE = "needle";

/** A parsed chat template with the special token texts of its model. */
export class ChatTemplate {
  /** The Jinja2 text. */
  readonly source: string;
  /** Filters and tests that the template names but that do not exist. */
  readonly warnings: readonly string[];
  readonly #parsed: ParsedTemplate;
  readonly #texts: SpecialTexts;
  readonly #withTools: ChatTemplate | undefined;
  #typedContent: boolean | undefined;
  #literals: TemplateLiterals | undefined;

  /**
   * Parses `source`. Throws {@linkcode UserError} with line and column where it is not understood.
   * @param texts Special token texts by variable name.
   * @param withTools Used instead when there are tools.
   */
  constructor(source: string, texts: SpecialTexts = {}, withTools?: ChatTemplate) {
    this.source = source;
    this.#parsed = parseTemplate(source);
    this.warnings = this.#parsed.warnings;
    this.#texts = texts;
    this.#withTools = withTools;
  }

  /** Whether the file has a chat template of its own; base models have none. */
  static exists(metadata: TokenizerMetadata): boolean {
    return metadata.has(KEY);
  }

  /**
   * The file's template, or `override`: Jinja2 text, the name of a built-in template, or of another one in the file.
   * Throws {@linkcode UserError} when there is none, or it cannot be parsed.
   */
  static fromMetadata(metadata: TokenizerMetadata, override?: string): ChatTemplate {
    const texts = readTexts(metadata);
    if (override !== undefined) return new ChatTemplate(overridingSource(metadata, override), texts);
    if (!metadata.has(KEY)) {
      throw new UserError(
        "This model has no chat template, so it is probably a base model: complete text with --raw, or choose a " +
          `template with --chat-template FILE or one of ${BUILTIN_TEMPLATE_NAMES.join(", ")}`,
      );
    }
    const forTools = `${KEY}.${TOOL_TEMPLATE}`;
    const withTools = metadata.has(forTools) ? new ChatTemplate(metadata.string(forTools), texts) : undefined;
    return new ChatTemplate(metadata.string(KEY), texts, withTools);
  }

  /** What the template writes and looks for, literally. */
  get literals(): TemplateLiterals {
    return this.#literals ??= templateLiterals(this.#parsed.program);
  }

  /** The template for a conversation with these options: some files have one of their own for tools. */
  select(options: RenderOptions): ChatTemplate {
    return options.tools?.length && this.#withTools ? this.#withTools : this;
  }

  /**
   * The conversation as the model wants to read it.
   * Throws {@linkcode UserError} with the template's own words when it refuses the conversation, and for content that
   * is not text.
   */
  render(messages: readonly ChatMessage[], options: RenderOptions = {}): string {
    return this.select(options).renderFiltered(messages, options, (variables) => variables);
  }

  /** As {@linkcode render}, but `filter` sees the variables first. */
  renderFiltered(messages: readonly ChatMessage[], options: RenderOptions, filter: VariableFilter): string {
    const hasCalls = messages.some((message) => message.tool_calls?.length);
    const shapes: MessageForm["toolArguments"][] = hasCalls ? ["parsed", "text", "wrapped"] : ["parsed"];
    let failure: unknown;
    // Which shape of arguments a template can work with shows only when it is tried.
    for (const toolArguments of shapes) {
      try {
        return this.#renderOnce(messages, options, toolArguments, filter);
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }

  #renderOnce(
    messages: readonly ChatMessage[],
    options: RenderOptions,
    toolArguments: MessageForm["toolArguments"],
    filter: VariableFilter,
  ): string {
    const form: MessageForm = {
      typedContent: this.#wantsTypedContent(),
      developerRole: this.literals.all.includes("developer"),
      toolArguments,
      mergeNeighbours: options.mergeNeighbours ?? false,
    };
    const own: Dict = new Map<string, Value>([
      ["messages", toTemplateMessages(messages, form)],
      ["tools", options.tools?.length ? fromJs(options.tools) : null],
      ["add_generation_prompt", options.addGenerationPrompt ?? true],
    ]);
    for (const [name, value] of Object.entries(options.variables ?? {})) own.set(name, fromJs(value));
    return this.#run(filter(own), options.now);
  }

  #run(variables: Dict, now = new Date()): string {
    const all = new Map<string, Value>([
      ...Object.entries(this.#texts),
      ...(variables as Map<string, Value>),
    ]);
    return renderTemplate(this.#parsed.program, all, now);
  }

  /** Whether the template drops or fails on content that is a string, and takes a list of parts. */
  #wantsTypedContent(): boolean {
    return this.#typedContent ??= !this.#shows(NEEDLE) && this.#shows([{ type: "text", text: NEEDLE }]);
  }

  #shows(content: unknown): boolean {
    try {
      const variables = new Map<string, Value>([["messages", fromJs([{ role: "user", content }])], [
        "tools",
        null,
      ]]);
      return this.#run(variables).includes(NEEDLE);
    } catch (error) {
      if (error instanceof UserError) return false;
      throw error;
    }
  }
}

function readTexts(metadata: TokenizerMetadata): SpecialTexts {
  const texts: Record<string, string> = {};
  if (!metadata.has("tokenizer.ggml.tokens")) return texts;
  const tokens = metadata.strings("tokenizer.ggml.tokens");
  for (const [variable, role] of Object.entries(TOKEN_ROLES)) {
    const key = `tokenizer.ggml.${role}_token_id`;
    const id = metadata.has(key) && !metadata.isArray(key) ? metadata.number(key) : -1;
    if (id >= 0 && id < tokens.length) texts[variable] = tokens.at(id);
  }
  return texts;
}

function overridingSource(metadata: TokenizerMetadata, override: string): string {
  if (/\{[{%#]/.test(override)) return override;
  const inFile = `${KEY}.${override}`;
  if (metadata.has(inFile)) return metadata.string(inFile);
  const builtin = builtinTemplate(override);
  if (builtin !== undefined) return builtin;
  throw new UserError(
    `There is no chat template "${printable(override)}" (built in: ${
      BUILTIN_TEMPLATE_NAMES.join(", ")
    }; or give ` +
      "the path of a Jinja file)",
  );
}
