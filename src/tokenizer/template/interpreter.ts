/**
 * Renders a parsed chat template as Jinja2 in Python would.
 *
 * The parser is @huggingface/jinja's; the package's own interpreter is not used, for it computes with JavaScript's
 * values (true prints as true, [] equals nothing, `lstrip` ignores its argument) and its loops leak assignments and
 * lose what was printed before a `break`. This one has Python's values, Jinja2's scopes, nothing reachable but what
 * the template was given, and a budget.
 * Reference: https://jinja.palletsprojects.com/en/stable/templates/
 */
import { attribute, item, sliceOf } from "./access.ts";
import { findFilter } from "./filters.ts";
import { globals, loopVariable } from "./globals.ts";
import { Budget, checkTextLength } from "./limits.ts";
import { applyOperator, applyUnary } from "./operators.ts";
import { disguisedTest } from "./parse.ts";
import { Scope } from "./scope.ts";
import {
  type CallExpression,
  type Expression,
  filterName,
  isIdentifier,
  type NamedCall,
  type Statement,
} from "./syntax.ts";
import { TemplateError } from "./template_error.ts";
import { findTest } from "./tests.ts";
import {
  Arguments,
  type Dict,
  Float,
  Func,
  isKey,
  isTrue,
  iterate,
  Namespace,
  toNumber,
  toText,
  Tuple,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from "./values.ts";

/** How a block of statements ended. */
type Outcome = "done" | "break" | "continue";

/** Renders `program` with these variables; `now` is the time that `strftime_now` formats. */
export function renderTemplate(program: readonly Statement[], variables: Dict, now: Date): string {
  const scope = new Scope();
  for (const [name, value] of globals(now)) scope.set(name, value);
  for (const [name, value] of variables) scope.set(String(name), value);
  const interpreter = new Interpreter();
  try {
    interpreter.run(program, new Scope(scope));
  } catch (error) {
    if (error instanceof RangeError) throw new TemplateError("it is nested too deeply", { cause: error });
    throw error;
  }
  return interpreter.output;
}

class Interpreter {
  /** What has been printed so far. */
  output = "";
  readonly #budget = new Budget();

  /** Runs statements in order, up to a `break` or `continue`. */
  run(statements: readonly Statement[], scope: Scope): Outcome {
    for (const statement of statements) {
      const outcome = this.#execute(statement, scope);
      if (outcome !== "done") return outcome;
    }
    return "done";
  }

  #execute(statement: Statement, scope: Scope): Outcome {
    this.#budget.step();
    switch (statement.type) {
      case "If":
        return this.run(
          isTrue(this.#evaluate(statement.test, scope)) ? statement.body : statement.alternate,
          scope,
        );
      case "For":
        return this.#loop(statement, scope);
      case "Set":
        return this.#set(statement, scope);
      case "Macro":
        scope.set(
          statement.name.value,
          this.#macro(statement.name.value, statement.args, statement.body, scope),
        );
        return "done";
      case "CallStatement":
        return this.#callBlock(statement, scope);
      case "FilterStatement": {
        const printed = this.#capture(statement.body, new Scope(scope));
        return this.#print(this.#filter(printed, statement.filter, scope));
      }
      case "Break":
        return "break";
      case "Continue":
        return "continue";
      case "Comment":
        return "done";
      default:
        return this.#print(this.#evaluate(statement, scope));
    }
  }

  #print(value: Value): Outcome {
    const text = toText(value);
    checkTextLength(this.output.length + text.length);
    this.output += text;
    return "done";
  }

  /** What the statements print, instead of printing it. */
  #capture(statements: readonly Statement[], scope: Scope): string {
    const before = this.output;
    this.output = "";
    this.run(statements, scope);
    const printed = this.output;
    this.output = before;
    return printed;
  }

  #loop(statement: Statement & { type: "For" }, scope: Scope): Outcome {
    const { loopvar, iterable, body, defaultBlock } = statement;
    const filtered = iterable.type === "SelectExpression";
    const all = iterate(this.#evaluate(filtered ? iterable.lhs : iterable, scope));
    const items = !filtered ? all : all.filter((item) => {
      const inner = new Scope(scope);
      this.#assign(loopvar, item, inner);
      return isTrue(this.#evaluate(iterable.test, inner));
    });
    if (items.length === 0) return this.run(defaultBlock, new Scope(scope));
    const changes = { last: undefined as Value | undefined };
    for (let i = 0; i < items.length; i++) {
      const inner = new Scope(scope);
      inner.set("loop", loopVariable(items, i, changes));
      this.#assign(loopvar, items[i], inner);
      if (this.run(body, inner) === "break") break;
    }
    return "done";
  }

  #set({ assignee, value, body }: Statement & { type: "Set" }, scope: Scope): Outcome {
    this.#assign(
      assignee,
      value ? this.#evaluate(value, scope) : this.#capture(body, new Scope(scope)),
      scope,
    );
    return "done";
  }

  #assign(target: Expression, value: Value, scope: Scope): void {
    if (isIdentifier(target)) return scope.set(target.value, value);
    if (target.type === "TupleLiteral") {
      const items = iterate(value);
      if (items.length !== target.value.length) {
        throw new TemplateError(`cannot unpack ${items.length} values into ${target.value.length} names`);
      }
      return target.value.forEach((name, i) => this.#assign(name, items[i], scope));
    }
    const object = target.type === "MemberExpression" ? this.#evaluate(target.object, scope) : null;
    if (
      target.type !== "MemberExpression" || !(object instanceof Namespace) || !isIdentifier(target.property)
    ) {
      throw new TemplateError("only names and attributes of a namespace can be set");
    }
    object.attributes.set(target.property.value, value);
  }

  #macro(
    name: string,
    parameters: readonly Expression[],
    body: readonly Statement[],
    outer: Scope,
    caller?: Func,
  ): Func {
    return new Func(name, (args) => {
      const scope = new Scope(outer);
      if (caller) scope.set("caller", caller);
      const rest = new Map(args.named);
      parameters.forEach((parameter, i) => {
        const key = parameterName(parameter);
        const given = i < args.positional.length ? args.positional[i] : rest.get(key);
        rest.delete(key);
        scope.set(key, given === undefined ? this.#defaultOf(parameter, scope) : given);
      });
      const passedCaller = rest.get("caller");
      if (passedCaller !== undefined) scope.set("caller", passedCaller);
      scope.set("varargs", new Tuple([...args.positional].slice(parameters.length)));
      scope.set("kwargs", rest);
      return this.#capture(body, scope);
    });
  }

  #defaultOf(parameter: Expression, scope: Scope): Value {
    return parameter.type === "KeywordArgumentExpression"
      ? this.#evaluate(parameter.value, scope)
      : new Undefined(`parameter '${parameterName(parameter)}'`);
  }

  #callBlock({ call, callerArgs, body }: Statement & { type: "CallStatement" }, scope: Scope): Outcome {
    const caller = this.#macro("caller", callerArgs ?? [], body, scope);
    const args = this.#arguments(call.args, scope);
    const named = new Map(args.named).set("caller", caller);
    return this.#print(this.#apply(call, new Arguments(args.positional, named), scope));
  }

  #evaluate(node: Expression | undefined, scope: Scope): Value {
    if (!node) return new Undefined("value");
    this.#budget.step();
    switch (node.type) {
      case "IntegerLiteral":
      case "StringLiteral":
        return node.value;
      case "FloatLiteral":
        return new Float(node.value);
      case "Identifier":
        return scope.get(node.value);
      case "ArrayLiteral":
        return node.value.map((item) => this.#evaluate(item, scope));
      case "TupleLiteral":
        return new Tuple(node.value.map((item) => this.#evaluate(item, scope)));
      case "ObjectLiteral":
        return this.#dict(node.value, scope);
      case "MemberExpression":
        return this.#member(node, scope);
      case "CallExpression":
        return this.#apply(node, this.#arguments(node.args, scope), scope);
      case "UnaryExpression":
        return applyUnary(node.operator.value, this.#evaluate(node.argument, scope));
      case "BinaryExpression":
        return this.#binary(node, scope);
      case "FilterExpression":
        return this.#filter(this.#evaluate(node.operand, scope), node.filter, scope);
      case "TestExpression":
        return this.#test(this.#evaluate(node.operand, scope), node.test.value, new Arguments()) !==
          node.negate;
      case "Ternary":
        return this.#evaluate(
          isTrue(this.#evaluate(node.condition, scope)) ? node.trueExpr : node.falseExpr,
          scope,
        );
      case "SelectExpression":
        return isTrue(this.#evaluate(node.test, scope))
          ? this.#evaluate(node.lhs, scope)
          : new Undefined("the value of a condition without else");
      default:
        throw new TemplateError(`${node.type} has no value`);
    }
  }

  #dict(entries: Map<Expression, Expression>, scope: Scope): Dict {
    const dict: Dict = new Map();
    for (const [keyNode, valueNode] of entries) {
      const key = this.#evaluate(keyNode, scope);
      if (!isKey(key)) throw new TemplateError(`a ${typeName(key)} cannot be a key`);
      dict.set(key, this.#evaluate(valueNode, scope));
    }
    return dict;
  }

  #binary({ operator, left, right }: Expression & { type: "BinaryExpression" }, scope: Scope): Value {
    const first = this.#evaluate(left, scope);
    if (operator.value === "and") return isTrue(first) ? this.#evaluate(right, scope) : first;
    if (operator.value === "or") return isTrue(first) ? first : this.#evaluate(right, scope);
    return applyOperator(operator.value, first, this.#evaluate(right, scope));
  }

  #member({ object, property, computed }: Expression & { type: "MemberExpression" }, scope: Scope): Value {
    const value = this.#evaluate(object, scope);
    if (computed && property.type === "SliceExpression") return this.#slice(value, property, scope);
    if (computed) return item(value, this.#evaluate(property, scope));
    return isIdentifier(property)
      ? attribute(value, property.value)
      : item(value, this.#evaluate(property, scope));
  }

  #slice(value: Value, node: Expression & { type: "SliceExpression" }, scope: Scope): Value {
    const [start, stop, step] = [node.start, node.stop, node.step].map((bound) => {
      const index = bound ? this.#evaluate(bound, scope) : null;
      return index === null || index instanceof Undefined ? undefined : toNumber(index);
    });
    return sliceOf(value, start, stop, step);
  }

  #arguments(nodes: readonly Expression[], scope: Scope): Arguments {
    const positional: Value[] = [];
    const named = new Map<string, Value>();
    for (const node of nodes) {
      if (node.type === "KeywordArgumentExpression") {
        named.set(node.key.value, this.#evaluate(node.value, scope));
      } else if (node.type === "SpreadExpression") {
        for (const value of iterate(this.#evaluate(node.argument, scope))) positional.push(value);
      } else if (node.type === "KeywordSpreadExpression") {
        const dict = this.#evaluate(node.argument, scope);
        if (!(dict instanceof Map)) throw new TemplateError("** needs a mapping");
        for (const [key, value] of dict) named.set(String(key), value);
      } else {
        positional.push(this.#evaluate(node, scope));
      }
    }
    return new Arguments(positional, named);
  }

  #apply({ callee }: CallExpression, args: Arguments, scope: Scope): Value {
    const target = this.#evaluate(callee, scope);
    if (target instanceof Undefined) throw undefinedError(target);
    if (!(target instanceof Func)) throw new TemplateError(`a ${typeName(target)} cannot be called`);
    return target.call(args);
  }

  #filter(value: Value, node: NamedCall, scope: Scope): Value {
    const args = node.type === "CallExpression" ? this.#arguments(node.args, scope) : new Arguments();
    const test = disguisedTest(node);
    if (test) return this.#test(value, test.name, args) !== test.negate;
    const filter = findFilter(filterName(node));
    if (!filter) throw new TemplateError(`no filter named '${filterName(node)}'`);
    return filter(value, args, { attribute });
  }

  #test(value: Value, name: string, args: Arguments): boolean {
    const test = findTest(name);
    if (!test) throw new TemplateError(`no test named '${name}'`);
    return test(value, args);
  }
}

function parameterName(parameter: Expression): string {
  if (parameter.type === "KeywordArgumentExpression") return parameter.key.value;
  if (isIdentifier(parameter)) return parameter.value;
  throw new TemplateError("a macro's parameters must be names");
}
