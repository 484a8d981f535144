/**
 * The syntax tree that @huggingface/jinja's parser makes. The package keeps the classes to itself; these are their
 * shapes, told apart by `type`.
 */

/** Any expression. */
export type Expression =
  | { type: "Identifier"; value: string }
  | { type: "IntegerLiteral"; value: number }
  | { type: "FloatLiteral"; value: number }
  | { type: "StringLiteral"; value: string }
  | { type: "ArrayLiteral"; value: Expression[] }
  | { type: "TupleLiteral"; value: Expression[] }
  | { type: "ObjectLiteral"; value: Map<Expression, Expression> }
  | { type: "MemberExpression"; object: Expression; property: Expression; computed: boolean }
  | CallExpression
  | { type: "UnaryExpression"; operator: { value: string }; argument: Expression }
  | { type: "BinaryExpression"; operator: { value: string }; left: Expression; right: Expression }
  | { type: "FilterExpression"; operand: Expression; filter: NamedCall }
  | { type: "TestExpression"; operand: Expression; negate: boolean; test: { value: string } }
  | { type: "SelectExpression"; lhs: Expression; test: Expression }
  | { type: "Ternary"; condition: Expression; trueExpr: Expression; falseExpr: Expression }
  | { type: "SliceExpression"; start?: Expression; stop?: Expression; step?: Expression }
  | { type: "KeywordArgumentExpression"; key: { value: string }; value: Expression }
  | { type: "SpreadExpression"; argument: Expression }
  | { type: "KeywordSpreadExpression"; argument: Expression };

/** `callee(args)`. */
export interface CallExpression {
  type: "CallExpression";
  callee: Expression;
  args: Expression[];
}

/** A filter: its name, or its name with arguments. */
export type NamedCall = { type: "Identifier"; value: string } | CallExpression;

/** Any statement; an expression prints its value. */
export type Statement =
  | Expression
  | { type: "If"; test: Expression; body: Statement[]; alternate: Statement[] }
  | { type: "For"; loopvar: Expression; iterable: Expression; body: Statement[]; defaultBlock: Statement[] }
  | { type: "Set"; assignee: Expression; value: Expression | null; body: Statement[] }
  | { type: "Macro"; name: { value: string }; args: Expression[]; body: Statement[] }
  | { type: "CallStatement"; call: CallExpression; callerArgs: Expression[] | null; body: Statement[] }
  | { type: "FilterStatement"; filter: NamedCall; body: Statement[] }
  | { type: "Break" }
  | { type: "Continue" }
  | { type: "Comment" };

/** The name of a filter. */
export function filterName(filter: NamedCall): string {
  if (filter.type === "Identifier") return filter.value;
  return filter.callee.type === "Identifier" ? filter.callee.value : "";
}

/** Whether an expression is a plain name. */
export function isIdentifier(node: Expression): node is Expression & { type: "Identifier" } {
  return node.type === "Identifier";
}
