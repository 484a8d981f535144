/** A conversation to token ids: rendered by the template, with nothing that people wrote taken for a control token. */
import type { ChatMessage } from "./chat_messages.ts";
import type { ChatTemplate, RenderOptions } from "./chat_template.ts";
import { ContentGuard } from "./content_guard.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** A conversation ready to be fed to the model. */
export interface ChatPrompt {
  /** What the template made of it. */
  text: string;
  /** Its token ids, with exactly one BOS if the model wants one or the template writes one, and no EOS behind. */
  ids: number[];
}

const guards = new WeakMap<ChatTemplate, WeakMap<Tokenizer, ContentGuard>>();

/** Renders and tokenizes a conversation. Throws `UserError` as `ChatTemplate.render` does. */
export function chatPrompt(
  tokenizer: Tokenizer,
  template: ChatTemplate,
  messages: readonly ChatMessage[],
  options: RenderOptions = {},
): ChatPrompt {
  const chosen = template.select(options);
  const rendering = guardOf(chosen, tokenizer).begin();
  const rendered = chosen.renderFiltered(messages, options, (variables) => rendering.replace(variables));
  const segments = rendering.restore(rendered);
  const ids = tokenizer.encodeSegments(segments, { addSpecial: "bos" });
  return { text: segments.map((segment) => segment.text).join(""), ids };
}

/** The token ids of a conversation; see {@linkcode chatPrompt}. */
export function encodeChat(
  tokenizer: Tokenizer,
  template: ChatTemplate,
  messages: readonly ChatMessage[],
  options: RenderOptions = {},
): number[] {
  return chatPrompt(tokenizer, template, messages, options).ids;
}

function guardOf(template: ChatTemplate, tokenizer: Tokenizer): ContentGuard {
  let ofTemplate = guards.get(template);
  if (!ofTemplate) guards.set(template, ofTemplate = new WeakMap());
  let guard = ofTemplate.get(tokenizer);
  if (!guard) ofTemplate.set(tokenizer, guard = new ContentGuard(tokenizer, template.literals));
  return guard;
}
