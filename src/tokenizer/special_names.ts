/**
 * Tokens known by their text. Converters often leave roles and types out of the metadata; the names are then all
 * there is. The list of what ends a generation and the idea of control tokens by look follow llama.cpp
 * (src/llama-vocab.cpp, and `does_token_look_special` of its converter).
 */

/** Ends a turn, message or document in every model that has it. */
const ENDS_GENERATION: ReadonlySet<string> = new Set([
  "<|im_end|>",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|end|>",
  "<|return|>",
  "<|call|>",
  "<|calls|>",
  "<|flush|>",
  "<|endoftext|>",
  "<|end_of_text|>",
  "<end_of_turn>",
  "<turn|>",
  "<|tool_response>",
  "<end_of_utterance>",
  "<｜end▁of▁sentence｜>",
  "<|fim_pad|>",
  "<|fim_repo|>",
  "<|repo_name|>",
  "<|file_sep|>",
]);

/** Ends a generation where it is a control token; elsewhere it may be ordinary text (`</s>` is an HTML tag). */
const ENDS_GENERATION_IF_CONTROL: ReadonlySet<string> = new Set([
  "</s>",
  "<eos>",
  "<EOT>",
  "_<EOT>",
  "[EOT]",
  "[EOS]",
  "[e~[",
]);

/** Ends a turn, in the order of preference, for files without `eot_token_id`. */
const ENDS_TURN: readonly string[] = ["<|eot_id|>", "<|im_end|>", "<end_of_turn>", "<turn|>", "<|end|>"];

// <|name|> and DeepSeek's full-width form, <|name> and <name|> (Gemma 4), and Gemma's turns.
const CONTROL_LOOK = /^<[|｜][^<>]*[|｜]>$|^<\|[^<>|]+>$|^<[^<>|]+\|>$|^<(?:start|end)_of_turn>$/;

/** Whether a token must be a control token by its text, whatever type the file gives it. */
export function looksLikeControl(text: string): boolean {
  return text.charCodeAt(0) === 0x3c && CONTROL_LOOK.test(text);
}

/** Whether the token `text` ends a generation. */
export function endsGeneration(text: string, isControl: boolean): boolean {
  return ENDS_GENERATION.has(text) || (isControl && ENDS_GENERATION_IF_CONTROL.has(text));
}

/** Texts that end a turn, best first. */
export function turnEnds(): readonly string[] {
  return ENDS_TURN;
}
