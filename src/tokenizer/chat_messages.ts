/**
 * Conversations as the OpenAI API writes them, and how they become what chat templates expect: content that is text
 * or a list of parts, tool calls whose arguments are a mapping.
 */
import { UserError } from "../common/errors.ts";
import { printable } from "../common/printable.ts";
import { dumpJson, parseJson } from "./template/python_json.ts";
import { type Dict, fromJs, type Value } from "./template/values.ts";

/** A part of a message's content. */
export interface ContentPart {
  /** `text`; everything else is refused by a text model. */
  type: string;
  /** The text of a text part. */
  text?: string;
  /** Whatever other kinds of parts hold. */
  [key: string]: unknown;
}

/** One message. Fields beyond these are handed to the template as they are. */
export interface ChatMessage {
  /** `system`, `developer`, `user`, `assistant` or `tool`. */
  role: string;
  /** The text, or its parts; null beside tool calls. */
  content?: string | null | readonly ContentPart[];
  /** What the model thought before it answered. */
  reasoning_content?: string;
  /** Calls that the assistant made; `arguments` is JSON text or an object. */
  tool_calls?: readonly unknown[];
  /** Anything else: `name`, `tool_call_id` … */
  [key: string]: unknown;
}

/** What a template wants to see. */
export interface MessageForm {
  /** Content as a list of parts, even where it is plain text. */
  typedContent: boolean;
  /** Whether the template knows the role `developer`; it is called `system` otherwise. */
  developerRole: boolean;
  /** Tool call arguments: parsed; as JSON text; parsed, and wrapped in a mapping where they are not JSON. */
  toolArguments: "parsed" | "text" | "wrapped";
  /** Whether neighbouring messages of one role become one. */
  mergeNeighbours: boolean;
}

/** Between the text parts of one message. */
const PART_SEPARATOR = "\n";

/** `messages` in the form that the template wants. Throws {@linkcode UserError} for content that is not text. */
export function toTemplateMessages(messages: readonly ChatMessage[], form: MessageForm): Value[] {
  const plain = messages.map((message, i) => ({
    ...message,
    content: textOf(message, i),
    role: roleOf(message, form),
  }));
  const merged = form.mergeNeighbours ? mergeNeighbours(plain) : plain;
  return merged.map((message) => toDict(message, form));
}

type PlainMessage = ChatMessage & { content: string };

function textOf({ content, role }: ChatMessage, index: number): string {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  return content.map((part) => {
    if (part.type === "text" && typeof part.text === "string") return part.text;
    throw new UserError(
      `Cannot use message ${index + 1} (${printable(role)}): it has a part of type "${
        printable(part.type)
      }", but ` +
        "this model reads text only",
    );
  }).join(PART_SEPARATOR);
}

function roleOf({ role }: ChatMessage, form: MessageForm): string {
  return role === "developer" && !form.developerRole ? "system" : role;
}

function mergeNeighbours(messages: readonly PlainMessage[]): PlainMessage[] {
  const merged: PlainMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const mergeable = last?.role === message.role && message.role !== "tool" && !last.tool_calls &&
      !message.tool_calls;
    if (last && mergeable) {
      last.content = [last.content, message.content].filter((text) => text !== "").join("\n\n");
    } else merged.push({ ...message });
  }
  return merged;
}

function toDict(message: PlainMessage, form: MessageForm): Value {
  const dict = fromJs(message) as Dict;
  if (form.typedContent) {
    dict.set("content", [new Map<string, Value>([["type", "text"], ["text", message.content]])]);
  }
  const calls = dict.get("tool_calls");
  if (Array.isArray(calls)) { for (const call of calls) shapeArguments(call, form.toolArguments); }
  return dict;
}

/** Brings `arguments` into the wanted shape, in the call itself or in its `function`. */
function shapeArguments(call: Value, shape: MessageForm["toolArguments"]): void {
  const inner = call instanceof Map ? call.get("function") : undefined;
  const holder = inner instanceof Map ? inner : call;
  if (!(holder instanceof Map) || !holder.has("arguments")) return;
  const given = holder.get("arguments")!;
  const parsed = typeof given === "string" ? mappingOf(given) : given;
  const text = typeof given === "string" ? given : dumpJson(given);
  const wrapped: Value = new Map([["arguments", text]]);
  if (shape === "text") holder.set("arguments", text);
  else if (parsed !== undefined) holder.set("arguments", parsed);
  else if (shape === "wrapped") holder.set("arguments", wrapped);
}

/** The mapping that JSON text holds, or undefined. */
function mappingOf(text: string): Dict | undefined {
  try {
    const value = parseJson(text);
    return value instanceof Map ? value : undefined;
  } catch {
    return undefined;
  }
}
