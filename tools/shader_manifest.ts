/**
 * The kernels that are compiled: one line per template of `shaders/`. A template that includes `format.glsl` is
 * compiled once per block format.
 */
import { DOT_FLOATS, DOT_FORMATS } from "../src/kernels/dot_plan.ts";
import { type FormatName, FORMATS } from "../src/quant/formats.ts";

/** One template and its variants. */
export interface KernelSource {
  /** Name in {@linkcode SHADERS}; the compiled files start with it. */
  readonly name: string;
  /** Path under `shaders/`; `<name>.comp` by default. */
  readonly source?: string;
  /** The formats to compile for; absent for kernels that read no weights in block formats. */
  readonly formats?: readonly FormatName[];
  /** Preprocessor definitions. */
  readonly defines?: Readonly<Record<string, string | number>>;
  /** Leave the optimisation to the driver: for kernels that unroll a lot, whose modules would grow several times as long. */
  readonly unoptimised?: boolean;
}

const ALL: readonly FormatName[] = Object.values(FORMATS).filter((f) => f.device).map((f) => f.name);

/** The formats without blocks, whose rows can have any length. */
const PLAIN: readonly FormatName[] = ALL.filter((name) => FORMATS[name].blockLength === 1);

/** The formats that float16 represents as well as they are. */
const HALF: readonly FormatName[] = ALL.filter((name) => name !== "f32");

/** All kernels. */
export const KERNELS: readonly KernelSource[] = [
  { name: "add" },
  { name: "advance" },
  { name: "attention" },
  { name: "attention_coopmat", unoptimised: true },
  { name: "attention_decode" },
  { name: "attention_inputs" },
  { name: "blend" },
  { name: "deinterleave" },
  { name: "delta_net" },
  { name: "embed", formats: ALL },
  { name: "expert_groups" },
  { name: "expert_sum" },
  { name: "gated" },
  { name: "map" },
  { name: "matmul_coopmat", formats: HALF, unoptimised: true },
  { name: "matmul_tile", formats: ALL },
  { name: "matvec", formats: ALL },
  { name: "matvec_any", formats: PLAIN },
  { name: "matvec_dot", formats: DOT_FORMATS },
  { name: "matvec_dot_experts", source: "matvec_dot.comp", formats: DOT_FORMATS, defines: { EXPERTS: 1 } },
  { name: "matvec_dot_router", source: "matvec_dot.comp", formats: DOT_FLOATS, defines: { ROUTER: 1 } },
  { name: "matvec_experts", source: "matvec.comp", formats: ALL, defines: { EXPERTS: 1 } },
  { name: "matvec_experts_any", source: "matvec_any.comp", formats: PLAIN, defines: { EXPERTS: 1 } },
  { name: "matvec_lanes", formats: ALL },
  { name: "norm" },
  { name: "rope" },
  { name: "router" },
  { name: "sample_draw" },
  { name: "sample_max" },
  { name: "sample_select" },
  { name: "sample_top" },
  { name: "scale_rows" },
  { name: "short_convolution" },
  { name: "state_space_scan" },
  { name: "store_kv" },
  { name: "stream_read" },
  { name: "token_shift" },
  { name: "wkv7" },
];
