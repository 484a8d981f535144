/** The reference executor as an engine: slow, float32 throughout, and the oracle for everything else. */
import type { Pass } from "../graph/builder.ts";
import { HostWeights } from "../graph/host_weights.ts";
import { ReferenceState, runReferenceGraph } from "../graph/reference_executor.ts";
import type { CacheTypes } from "../kernels/cache_types.ts";
import type { Batch } from "../kernels/operation.ts";
import type { OpenModel } from "../models/open_model.ts";
import { checkTokens } from "./check_tokens.ts";
import type { Checkpoint, DecodeOptions, Engine, ForwardOptions } from "./engine.ts";
import { Sampler } from "./sampling/mod.ts";
import { cacheTypesOf } from "./sequence_size.ts";

interface ReferenceCheckpoint extends Checkpoint {
  readonly recurrent: ReadonlyMap<number, Float32Array>;
}

/** Runs one sequence in plain TypeScript. */
export class ReferenceEngine implements Engine {
  readonly vocab: number;
  readonly contextLength: number;
  readonly ubatch: number;
  readonly canRewind: boolean;
  readonly stateBytes: number;
  readonly #model: OpenModel;
  readonly #weights: HostWeights;
  readonly #state: ReferenceState;
  #position = 0;
  #encoderLength = 0;
  readonly encode?: (tokens: Int32Array) => Promise<void>;

  /** For a sequence of `model`. Keys and values are float32, or are rounded to the types asked for. */
  constructor(model: OpenModel, ubatch: number, cacheTypes: Partial<CacheTypes> = {}) {
    this.#model = model;
    this.vocab = model.config.vocab;
    this.contextLength = model.contextLength;
    this.ubatch = ubatch;
    const { slots } = model.states;
    this.canRewind = slots.every((slot) => slot.kind === "kv");
    this.stateBytes = slots.reduce(
      (sum, slot) => sum + 4 * slot.width * (slot.kind === "kv" ? model.contextLength : 1),
      0,
    );
    this.#weights = new HostWeights(model.file, model.tensors.constants.values());
    this.#state = new ReferenceState(model.contextLength, cacheTypesOf(model, cacheTypes, "f32"));
    if (model.family.encode) this.encode = (tokens) => this.#encode(tokens);
  }

  async forward(
    batch: Batch,
    outputs: number,
    { result: pass = "logits" }: ForwardOptions = {},
  ): Promise<Float32Array> {
    const result = await this.#run({ ...batch, encoderLength: this.#encoderLength }, outputs, pass);
    this.#position = batch.position + batch.tokens.length;
    return outputs > 0 ? result : new Float32Array();
  }

  async *decode(batch: Batch, options: DecodeOptions): AsyncIterable<number> {
    const sampler = new Sampler(options.sampling, options.history);
    let next = batch;
    for (let n = 0; n < options.maxTokens && !options.signal?.aborted; n++) {
      const token = sampler.sample(await this.forward(next, 1));
      const position = next.position + next.tokens.length;
      yield token;
      if (options.endOfGeneration.has(token) || position >= this.contextLength) return;
      next = { tokens: Int32Array.of(token), position };
    }
  }

  clear(): void {
    this.#state.clear();
    this.#position = 0;
    this.#encoderLength = 0;
  }

  checkpoint(): Promise<Checkpoint> {
    const recurrent = this.#state.snapshotRecurrent(this.#model.states.slots);
    const bytes = [...recurrent.values()].reduce((sum, data) => sum + data.byteLength, 0);
    const checkpoint: ReferenceCheckpoint = { position: this.#position, bytes, recurrent };
    return Promise.resolve(checkpoint);
  }

  restore(checkpoint: Checkpoint): Promise<void> {
    this.#state.restoreRecurrent((checkpoint as ReferenceCheckpoint).recurrent);
    this.#position = checkpoint.position;
    return Promise.resolve();
  }

  [Symbol.dispose](): void {
    this.#state.clear();
  }

  async #encode(tokens: Int32Array): Promise<void> {
    checkTokens(tokens, this, { verb: "encode", what: "text" });
    this.clear();
    await this.#run({ tokens, position: 0 }, tokens.length, "encode");
    this.#encoderLength = tokens.length;
  }

  async #run(batch: Batch, outputs: number, pass: Pass): Promise<Float32Array> {
    // The loops block; timers and signals get their turn between batches.
    await new Promise((resolve) => setTimeout(resolve));
    const graph = this.#model.build(batch.tokens.length, outputs, pass);
    return runReferenceGraph(graph, batch, this.#weights, this.#state);
  }
}
