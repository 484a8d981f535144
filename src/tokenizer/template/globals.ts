/** What every template can name without being given it: constants, functions, and `loop` inside loops. */
import { checkRange } from "./limits.ts";
import { formatTime } from "./strings.ts";
import { TemplateError, TemplateRefusal } from "./template_error.ts";
import {
  type Arguments,
  Attributes,
  equals,
  Func,
  isKey,
  iterate,
  type Key,
  Namespace,
  orElse,
  toText,
  Tuple,
  Undefined,
  type Value,
} from "./values.ts";

/** The global names; `now` is the time that `strftime_now` formats. */
export function globals(now: Date): [string, Value][] {
  return [
    ["true", true],
    ["True", true],
    ["false", false],
    ["False", false],
    ["none", null],
    ["None", null],
    ["range", new Func("range", range)],
    ["dict", new Func("dict", (args) => new Map([...pairs(args), ...args.named]))],
    ["namespace", new Func("namespace", namespace)],
    ["strftime_now", new Func("strftime_now", (args) => formatTime(now, args.string(0, "format")))],
    [
      "raise_exception",
      new Func("raise_exception", (args) => {
        throw new TemplateRefusal(toText(args.get(0, "message", "")));
      }),
    ],
  ];
}

function range(args: Arguments): Value {
  const first = args.integer(0, "start");
  const [start, stop] = args.positional.length > 1 ? [first, args.integer(1, "stop")] : [0, first];
  const step = args.integer(2, "step", 1);
  if (step === 0) throw new TemplateError("range() step must not be zero");
  const count = Math.max(0, Math.ceil((stop - start) / step));
  checkRange(count);
  return Array.from({ length: count }, (_, i) => start + i * step);
}

function namespace(args: Arguments): Value {
  const given = pairs(args).map(([key, value]) => [String(key), value] as const);
  return new Namespace(new Map([...given, ...args.named]));
}

/** The first argument of `dict()` or `namespace()`: a mapping, or a list of pairs. */
function pairs(args: Arguments): [Key, Value][] {
  const given = orElse<Value>(args.positional[0], []);
  if (given instanceof Map) return [...given];
  return iterate(given).map((pair) => {
    const [key, value] = iterate(pair);
    if (!isKey(key) || value === undefined) {
      throw new TemplateError("dict() takes a mapping or a list of pairs");
    }
    return [key, value];
  });
}

/** The `loop` of round `i`. */
export function loopVariable(
  items: readonly Value[],
  i: number,
  changes: { last: Value | undefined },
): Attributes {
  const count = items.length;
  const changed = (args: Arguments) => {
    const now = new Tuple([...args.positional]);
    const isNew = changes.last === undefined || !equals(changes.last, now);
    changes.last = now;
    return isNew;
  };
  return new Attributes(
    new Map<string, Value>([
      ["index", i + 1],
      ["index0", i],
      ["revindex", count - i],
      ["revindex0", count - i - 1],
      ["first", i === 0],
      ["last", i === count - 1],
      ["length", count],
      ["previtem", i > 0 ? items[i - 1] : new Undefined("the item before the first")],
      ["nextitem", i + 1 < count ? items[i + 1] : new Undefined("the item after the last")],
      [
        "cycle",
        new Func("cycle", (args) => orElse<Value>(args.positional[i % args.positional.length], null)),
      ],
      ["changed", new Func("changed", changed)],
    ]),
  );
}
