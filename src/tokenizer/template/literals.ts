/** The strings that a template holds, and which of them it looks for in messages. */
import type { Expression, Statement } from "./syntax.ts";

/** See {@linkcode templateLiterals}. */
export interface TemplateLiterals {
  /** Every literal string and text of the template, joined by NUL. */
  readonly all: string;
  /** Strings that it splits text at or tests text for. */
  readonly soughtAfter: ReadonlySet<string>;
}

const SEARCHING_METHODS: ReadonlySet<string> = new Set([
  "split",
  "rsplit",
  "partition",
  "rpartition",
  "startswith",
  "endswith",
  "find",
  "rfind",
  "index",
  "count",
  "replace",
  "removeprefix",
  "removesuffix",
]);

/** Collects the literals of a program. */
export function templateLiterals(program: readonly Statement[]): TemplateLiterals {
  const all: string[] = [];
  const soughtAfter = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node instanceof Map) return [...node].flat().forEach(visit);
    if (typeof node !== "object" || node === null) return;
    const statement = node as Statement;
    if (statement.type === "StringLiteral") all.push(statement.value);
    for (const sought of soughtIn(statement)) {
      if (sought.type === "StringLiteral") soughtAfter.add(sought.value);
    }
    Object.values(node).forEach(visit);
  };
  visit(program);
  return { all: all.join("\0"), soughtAfter };
}

function soughtIn(node: Statement): Expression[] {
  if (node.type === "BinaryExpression" && ["in", "not in"].includes(node.operator.value)) return [node.left];
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return [];
  const { property } = node.callee;
  return property.type === "Identifier" && SEARCHING_METHODS.has(property.value) ? node.args : [];
}
