/** Attributes, items and slices of template values. Nothing is reachable but items and the methods of methods.ts. */
import { method } from "./methods.ts";
import { slice } from "./strings.ts";
import { TemplateError } from "./template_error.ts";
import {
  Attributes,
  Float,
  isKey,
  Namespace,
  orElse,
  repr,
  toNumber,
  toSequence,
  Tuple,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from "./values.ts";

/** `value.name`: a method first, then an item, as Jinja2 does. */
export function attribute(value: Value, name: string): Value {
  if (value instanceof Undefined) throw undefinedError(value);
  if (value instanceof Namespace || value instanceof Attributes) {
    return orElse(value.attributes.get(name), missing(value, name));
  }
  const position = value instanceof Tuple ? value.names.indexOf(name) : -1;
  if (position >= 0) return (value as Tuple).items[position];
  const ownItem = value instanceof Map ? value.get(name) : undefined;
  return orElse(orElse<Value | undefined>(method(value, name), ownItem), missing(value, name));
}

/** `value[key]`: an item first, then a method. */
export function item(value: Value, key: Value): Value {
  if (value instanceof Undefined) throw undefinedError(value);
  if (value instanceof Map) {
    const found = isKey(key) ? value.get(key) : undefined;
    if (found !== undefined) return found;
  }
  if (typeof key === "string") {
    return attribute(value, key);
  }
  const index = toNumber(key);
  if (index === undefined || key instanceof Float) return missing(value, repr(key));
  const items = typeof value === "string" ? Array.from(value) : toSequence(value);
  return orElse<Value>(items?.at(index), missing(value, String(index)));
}

function missing(value: Value, name: string): Undefined {
  return new Undefined(`'${typeName(value)} object' has no attribute '${name}', which`);
}

/** `value[start:stop:step]` of a string, list or tuple. */
export function sliceOf(value: Value, start?: number, stop?: number, step?: number): Value {
  if (step === 0) throw new TemplateError("slice step cannot be zero");
  if (typeof value === "string") return slice(Array.from(value), start, stop, step).join("");
  if (value instanceof Undefined) throw undefinedError(value);
  const items = toSequence(value);
  if (!items) throw new TemplateError(`a ${typeName(value)} cannot be sliced`);
  return Array.isArray(value) ? slice(items, start, stop, step) : new Tuple(slice(items, start, stop, step));
}
