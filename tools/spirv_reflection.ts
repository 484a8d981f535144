/**
 * Reads from a SPIR-V module what TypeScript has to know about it: the fields of its push constants and the ids of its
 * specialization constants. The binary form is defined in chapter 2.3 of the SPIR-V specification; opcode numbers and
 * operands are those of chapter 3.
 */
import { assert } from "../src/common/assert.ts";

/** A scalar of the push constants. Addresses (64-bit integers and buffer references) are `u64`. */
export type PushType = "u64" | "u32" | "i32" | "f32";

/** What a shader expects from its caller. */
export interface ShaderInterface {
  /** Fields of the push constant block in memory order. */
  readonly push: readonly { readonly name: string; readonly type: PushType; readonly offset: number }[];
  /** Specialization constants: name to `constant_id`. */
  readonly constants: Readonly<Record<string, number>>;
}

const OP = {
  name: 5,
  memberName: 6,
  typeInt: 21,
  typeFloat: 22,
  typeStruct: 30,
  typePointer: 32,
  variable: 59,
  decorate: 71,
  memberDecorate: 72,
} as const;
const DECORATION = { specId: 1, offset: 35 } as const;
const STORAGE_PUSH_CONSTANT = 9;

/** Reflects a module that still has its names. */
export function reflect(spirv: Uint8Array): ShaderInterface {
  const names = new Map<number, string>();
  const memberNames = new Map<string, string>();
  const offsets = new Map<string, number>();
  const types = new Map<number, PushType>();
  const members = new Map<number, number[]>();
  const pointees = new Map<number, number>();
  const constants: Record<string, number> = {};
  let block: number | undefined;
  for (const [op, words] of instructions(spirv)) {
    if (op === OP.name) names.set(words[0], text(words.subarray(1)));
    else if (op === OP.memberName) memberNames.set(`${words[0]}.${words[1]}`, text(words.subarray(2)));
    else if (op === OP.decorate && words[1] === DECORATION.specId) {
      constants[names.get(words[0]) ?? "WORKGROUP"] = words[2]; // only local_size_x_id makes a constant without a name
    } else if (op === OP.memberDecorate && words[2] === DECORATION.offset) {
      offsets.set(`${words[0]}.${words[1]}`, words[3]);
    } else if (op === OP.typeInt) {
      types.set(words[0], words[1] === 64 ? "u64" : words[2] === 1 ? "i32" : "u32");
    } else if (op === OP.typeFloat && words[1] === 32) types.set(words[0], "f32");
    else if (op === OP.typeStruct) members.set(words[0], [...words.subarray(1)]);
    else if (op === OP.typePointer) {
      types.set(words[0], "u64");
      pointees.set(words[0], words[2]);
    } else if (op === OP.variable && words[2] === STORAGE_PUSH_CONSTANT) block = pointees.get(words[0]);
  }
  const push = (block === undefined ? [] : members.get(block)!).map((type, i) => {
    const name = memberNames.get(`${block}.${i}`)!;
    assert(types.has(type), `push constant ${name} is not a scalar`);
    return { name, type: types.get(type)!, offset: offsets.get(`${block}.${i}`)! };
  });
  return { push, constants: Object.fromEntries(Object.entries(constants).sort((a, b) => a[1] - b[1])) };
}

/** Opcode and operands of every instruction. */
function* instructions(spirv: Uint8Array): Generator<[number, Uint32Array]> {
  const words = new Uint32Array(spirv.slice().buffer);
  const headerWords = 5;
  for (let at = headerWords; at < words.length; at += words[at] >>> 16) {
    yield [words[at] & 0xffff, words.subarray(at + 1, at + (words[at] >>> 16))];
  }
}

/** A NUL-terminated string packed into words. */
function text(words: Uint32Array): string {
  const bytes = new Uint8Array(words.slice().buffer);
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}
