/**
 * From a file to a model whose graphs can be built: reads the metadata, chooses the family, and builds once to find out which
 * tensors and state it needs. Everything that cannot run is refused here, before a byte of weights is read.
 */
import { assert } from "../common/assert.ts";
import { UserError } from "../common/errors.ts";
import { type GgufFile, openGguf } from "../gguf/mod.ts";
import { type Graph, GraphBuilder, type Pass } from "../graph/builder.ts";
import { type Config, readConfig } from "./config.ts";
import type { Family } from "./family.ts";
import { type ModelBuilder, StateTable, TensorTable } from "./model_builder.ts";
import { familyOf } from "./registry.ts";

/** Context that is opened when nobody asks for another, tokens; less where the model was made for less. */
const DEFAULT_CONTEXT = 4096;

/** An open model file and the family that runs it. */
export interface OpenModel extends Disposable {
  readonly file: GgufFile;
  readonly family: Family;
  readonly config: Config;
  /** Positions a sequence can hold. */
  readonly contextLength: number;
  readonly tensors: TensorTable;
  readonly states: StateTable;
  /** A pass over `tokens` rows of which the last `outputs` are read; the family's forward pass to its logits by default. */
  build(tokens: number, outputs: number, pass?: Pass): Graph;
}

/**
 * Opens a GGUF file as a model.
 *
 * @param contextLength Positions to plan for; by default the model's own, at most 4096.
 * @throws UserError when the file is broken or its architecture, a tensor or a number cannot be used.
 */
export function openModel(path: string, contextLength?: number): OpenModel {
  const file = openGguf(path);
  try {
    return describe(file, contextLength);
  } catch (error) {
    file[Symbol.dispose]();
    if (error instanceof UserError && !error.message.includes(path)) {
      throw new UserError(`Cannot load "${path}": ${lowerFirst(error.message)}`, { cause: error });
    }
    throw error;
  }
}

function describe(file: GgufFile, requestedContext: number | undefined): OpenModel {
  const architecture = file.metadata.string("general.architecture");
  const family = familyOf(architecture, file.path);
  const tensors = new TensorTable(file);
  const states = new StateTable();
  const vocab = tensors.extent("token_embd.weight", 1);
  const config = readConfig(file.metadata, architecture, vocab);
  const builder = (
    graph: GraphBuilder,
    contextLength: number,
    result?: "logits" | "hidden",
  ): ModelBuilder => {
    return { graph, config, tensors, states, contextLength, result };
  };
  const asked = requestedContext ?? Math.min(config.contextLength, DEFAULT_CONTEXT);
  const limit = family.positionLimit?.(builder(new GraphBuilder(1, 1), asked)) ?? Infinity;
  const contextLength = Math.min(asked, limit);
  const build = (tokens: number, outputs: number, pass: Pass = "logits") => {
    const graph = new GraphBuilder(tokens, outputs);
    if (pass !== "encode") return graph.finish(family.forward(builder(graph, contextLength, pass)));
    assert(family.encode, `${family.name} has no encoder of its own`);
    return graph.finish(family.encode(builder(graph, contextLength)));
  };
  if (family.encode) build(1, 1, "encode");
  build(1, 1);
  return {
    file,
    family,
    config,
    contextLength,
    tensors,
    states,
    build,
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

function lowerFirst(message: string): string {
  return message.slice(0, 1).toLowerCase() + message.slice(1);
}
