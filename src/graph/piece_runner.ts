/**
 * Hands large plans to the device a few pieces at a time. Drivers reset a device that works on one submission for seconds (two on Windows,
 * ten with amdgpu), and whoever stops a prompt waits for what is submitted already.
 *
 * How much one submission carries follows from how fast the device was so far; the first one carries one piece.
 */
import type { CommandBuffer } from "../vulkan/mod.ts";

/** A submission lasts about this long, ms: far from any watchdog even when the estimate is wrong by ten, and hardly a cost. */
const SUBMISSION_MS = 100;
/** Most pieces of one submission. */
const PIECES_MAX = 200;
/** Submissions in flight: the device begins the next one while the host hears of the last. */
const AHEAD = 2;

/** A part of a plan. */
export interface PlanPiece {
  readonly commandBuffer: CommandBuffer;
  /** Multiplications and additions; see `work.ts`. */
  readonly work: number;
}

/** What takes the submissions: a device. */
export interface SubmissionQueue {
  submit(commandBuffers: readonly CommandBuffer[]): number;
  wait(value: number): Promise<void>;
}

/** Runs plans that consist of several pieces. */
export class PieceRunner {
  readonly #queue: SubmissionQueue;
  readonly #now: () => number;
  /** Work that the device does in a millisecond; unknown until the first submission is done. */
  #workPerMs: number | undefined;

  /** For `queue`; `now` gives milliseconds. */
  constructor(queue: SubmissionQueue, now: () => number = () => performance.now()) {
    this.#queue = queue;
    this.#now = now;
  }

  /**
   * Runs `first` and then `pieces`, and waits for them. Returns the timeline's value at their end.
   *
   * @throws the reason of `signal` when it is aborted before the last piece is submitted; nothing is in flight then.
   */
  async run(first: CommandBuffer, pieces: readonly PlanPiece[], signal?: AbortSignal): Promise<number> {
    const running: { value: number; work: number }[] = [];
    let started = this.#now();
    for (let next = 0; next < pieces.length && !signal?.aborted;) {
      const group = this.#group(pieces, next);
      const commands = group.map(({ commandBuffer }) => commandBuffer);
      const value = this.#queue.submit(next === 0 ? [first, ...commands] : commands);
      running.push({ value, work: group.reduce((sum, { work }) => sum + work, 0) });
      next += group.length;
      const ahead = this.#workPerMs === undefined ? 1 : AHEAD;
      if (running.length >= ahead) started = await this.#finish(running.shift()!, started);
    }
    let value = 0;
    for (const submission of running) {
      started = await this.#finish(submission, started);
      value = submission.value;
    }
    signal?.throwIfAborted();
    return value;
  }

  /** The pieces from `next` on that one submission carries. */
  #group(pieces: readonly PlanPiece[], next: number): PlanPiece[] {
    const most = SUBMISSION_MS * (this.#workPerMs ?? 0);
    const last = Math.min(pieces.length, next + PIECES_MAX);
    let end = next + 1;
    for (let work = pieces[next].work; end < last; end++) {
      work += pieces[end].work;
      if (work > most) break;
    }
    return pieces.slice(next, end);
  }

  /** Waits for a submission that the device began at `started`, and learns from it. Returns when it ended. */
  async #finish({ value, work }: { value: number; work: number }, started: number): Promise<number> {
    await this.#queue.wait(value);
    const ended = this.#now();
    if (ended > started && work > 0) this.#workPerMs = work / (ended - started);
    return ended;
  }
}
