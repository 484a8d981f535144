/** Text to tokens and back, and conversations to prompts. */
export type { ChatMessage, ContentPart } from "./chat_messages.ts";
export { BUILTIN_TEMPLATE_NAMES } from "./builtin_templates.ts";
export { ChatTemplate, type RenderOptions, type SpecialTexts, type VariableFilter } from "./chat_template.ts";
export { createTokenizer, TOKENIZER_KINDS } from "./create_tokenizer.ts";
export { type ChatPrompt, chatPrompt, encodeChat } from "./encode_chat.ts";
export { StreamDecoder, type StreamOptions } from "./stream_decoder.ts";
export { parseJson } from "./template/python_json.ts";
export { TemplateError, TemplateRefusal } from "./template/template_error.ts";
export type { DecodeOptions, EncodeOptions, Segment, Tokenizer, TokenizerKind } from "./tokenizer.ts";
export type { TextArray, TokenizerMetadata } from "./vocabulary.ts";
export type { TemplateLiterals } from "./template/literals.ts";
export { type Dict, Float, type Key, type Value } from "./template/values.ts";
