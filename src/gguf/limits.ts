/**
 * Upper bounds on what a GGUF header may declare. Real files stay far below them; they keep a crafted file from using
 * more memory or time than its own size justifies.
 */

/** Metadata and tensor table together: the largest real ones are some 20 MiB (long vocabularies). */
export const MAX_HEADER_BYTES = 512 * 2 ** 20;
/** Keys of the metadata. */
export const MAX_KEYS = 1 << 16;
/** Bytes of a key, as in the specification. */
export const MAX_KEY_BYTES = 65535;
/** Bytes of one string value: chat templates and licences are below 1 MiB. */
export const MAX_STRING_BYTES = 16 * 2 ** 20;
/** Tensors of one file: models with unmerged experts have some 50 thousand. */
export const MAX_TENSORS = 1 << 20;
/** Bytes of a tensor's name; ggml itself stops at 63. */
export const MAX_TENSOR_NAME_BYTES = 1024;
/** Dimensions of a tensor, as in ggml. */
export const MAX_DIMENSIONS = 4;
/** `general.alignment`. */
export const MAX_ALIGNMENT = 1 << 16;
/** `general.alignment` where the file does not say. */
export const DEFAULT_ALIGNMENT = 32;
