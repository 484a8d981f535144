/** Names and their values, nested as Jinja2 nests them: reading goes outward, assigning stays. */
import { Undefined, type Value } from "./values.ts";

/** One level of names. */
export class Scope {
  readonly #names = new Map<string, Value>();
  readonly #outer: Scope | undefined;

  /** @param outer Where names are looked up that this level does not have. */
  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  /** The value of a name; {@linkcode Undefined} where no level has it. */
  get(name: string): Value {
    const value = this.#names.get(name);
    if (value !== undefined) return value;
    return this.#outer ? this.#outer.get(name) : new Undefined(`'${name}'`);
  }

  /** Gives a name a value on this level. */
  set(name: string, value: Value): void {
    this.#names.set(name, value);
  }
}
