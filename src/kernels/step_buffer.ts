/**
 * The step buffer: what changes from token to token, in device memory.
 *
 * A recorded command buffer is replayed for every token, so nothing that changes can be a push constant. Kernels read
 * the position and the token ids of the running step from here, and the last dispatch of a step (the sampler) advances
 * it for the next one. All fields are little-endian u32; the token ids follow the header.
 *
 * This table is the only definition: `shaders/include/step.glsl` is {@linkcode stepGlsl}, held to it by a test.
 */
import { assert } from "../common/assert.ts";
import { UserError } from "../common/errors.ts";

/** The header's fields in memory order, with their meaning as the shader include states it. */
export const STEP_FIELDS = {
  position: "index in the KV cache of tokens[0]: how many tokens were fed before this step",
  tokenCount: "rows of this step; the last row's logits are sampled",
  ringIndex: "tokens written to the ring so far",
  stopped: "1 after an end-of-generation token or an error: a further step changes nothing",
  error: "bits STEP_ERROR_*, 0 while all is well",
  rngStep: "tokens drawn since the seed was set: the counter of the random numbers",
  encoderLength: "rows that the encoder has left for cross attention",
} as const;

/** Name of a field of the header. */
export type StepField = keyof typeof STEP_FIELDS;

/** Values of the header. */
export type StepHeader = Record<StepField, number>;

const FIELD_NAMES = Object.keys(STEP_FIELDS) as StepField[];
const U32_BYTES = 4;

/** Bytes before `tokens[0]`: the fields and padding to a multiple of 16, so that token ids can be read in fours. */
export const STEP_HEADER_BYTES = Math.ceil((FIELD_NAMES.length * U32_BYTES) / 16) * 16;

/** Bits of the `error` field. */
export const STEP_ERROR = {
  /** A logit was NaN or +infinity. */
  nonFiniteLogits: 1,
  /** Every logit was -infinity: there was nothing to choose from. */
  noCandidate: 2,
} as const;

/** Set in a ring entry that holds error bits instead of a token id: no more tokens follow. */
export const RING_ERROR = 0x80000000;

/** The error to show for the bits of an `error` field; `where` names the device or executor, if known. */
export function logitsError(bits: number, where?: string): UserError {
  const place = where ? ` on ${where}` : "";
  if (bits & STEP_ERROR.nonFiniteLogits) {
    return new UserError(
      `Cannot choose a token: the model computed logits that are not finite${place}; ` +
        'the file may be damaged or the driver may compute wrong numbers, "zinc check" tests the latter',
    );
  }
  return new UserError(`Cannot choose a token: every token of the vocabulary is excluded${place}`);
}

/** Bytes of a step buffer for batches of up to `maxTokens` tokens. */
export function stepBytes(maxTokens: number): number {
  assert(maxTokens >= 1, `A step has at least one token, not ${maxTokens}`);
  return STEP_HEADER_BYTES + maxTokens * U32_BYTES;
}

/**
 * Writes a step into `view` (which starts at the header): `tokens` at `position`, all other fields 0 unless given.
 * `tokenCount` follows from `tokens`.
 */
export function writeStep(
  view: DataView,
  position: number,
  tokens: ArrayLike<number>,
  fields: Partial<Omit<StepHeader, "position" | "tokenCount">> = {},
): void {
  assert(view.byteLength >= stepBytes(tokens.length), `${tokens.length} tokens do not fit the step buffer`);
  const header: Partial<StepHeader> = { ...fields, position, tokenCount: tokens.length };
  FIELD_NAMES.forEach((name, i) => view.setUint32(i * U32_BYTES, header[name] ?? 0, true));
  for (let i = 0; i < tokens.length; i++) view.setUint32(STEP_HEADER_BYTES + i * U32_BYTES, tokens[i], true);
}

/** Reads the header and the first `tokenCount` token ids back, for tests and diagnostics. */
export function readStep(view: DataView): StepHeader & { tokens: number[] } {
  const header = Object.fromEntries(
    FIELD_NAMES.map((name, i) => [name, view.getUint32(i * U32_BYTES, true)]),
  ) as StepHeader;
  const tokens = Array.from(
    { length: header.tokenCount },
    (_, i) => view.getUint32(STEP_HEADER_BYTES + i * U32_BYTES, true),
  );
  return { ...header, tokens };
}

/** Byte offset of a field, for copies of single fields. */
export function stepFieldOffset(field: StepField): number {
  return FIELD_NAMES.indexOf(field) * U32_BYTES;
}

/** The text of `shaders/include/step.glsl`. */
export function stepGlsl(): string {
  const padding = STEP_HEADER_BYTES / U32_BYTES - FIELD_NAMES.length;
  const fields = [
    ...FIELD_NAMES.map((name) => `    uint ${name}; // ${STEP_FIELDS[name]}`),
    ...Array.from({ length: padding }, (_, i) => `    uint padding${i};`),
  ];
  const errors = Object.entries(STEP_ERROR).map(([name, bit]) =>
    `const uint STEP_ERROR_${name.replace(/[A-Z]/g, "_$&").toUpperCase()} = ${bit}u;`
  );
  return `// Generated from src/kernels/step_buffer.ts (deno run tools/write_step_glsl.ts): what changes from token to token.
#ifndef STEP_GLSL
#define STEP_GLSL
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Step {
${fields.join("\n")}
    uint tokens[];
};

${errors.join("\n")}
const uint RING_ERROR = ${RING_ERROR}u;
#endif
`;
}
