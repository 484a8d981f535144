/** A finished recording: submit it as often as needed. */
import type { DeviceBuffer } from "./buffer.ts";
import type { Device } from "./device.ts";
import type { LabelTime, Profile } from "./profile.ts";

/** Recorded commands. Everything they use stays alive until they are disposed and the device has finished them. */
export class CommandBuffer implements Disposable {
  /** `VkCommandBuffer`. */
  readonly handle: bigint;
  /** Name for messages. */
  readonly label: string;
  /** Number of commands. */
  readonly stats: { readonly dispatches: number; readonly barriers: number; readonly copies: number };
  readonly #device: Device;
  readonly #buffers: ReadonlySet<DeviceBuffer>;
  readonly #profile: Profile | null;
  #disposed = false;

  /** Use `recorder.finish()`. */
  constructor(
    device: Device,
    options: {
      handle: bigint;
      label: string;
      stats: CommandBuffer["stats"];
      buffers: ReadonlySet<DeviceBuffer>;
      profile: Profile | null;
    },
  ) {
    this.#device = device;
    this.handle = options.handle;
    this.label = options.label;
    this.stats = options.stats;
    this.#buffers = options.buffers;
    this.#profile = options.profile;
    device.objectMade();
  }

  /** Device time of each dispatch in the latest run, in order; wait for that run first. Empty without `profile`. */
  times(): LabelTime[] {
    return this.#profile?.read() ?? [];
  }

  /** Gives the commands up; they are freed when the device has finished them. */
  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#device.objectGone();
    this.#device.retire(() => {
      this.#profile?.[Symbol.dispose]();
      this.#device.freeCommandBuffer(this.handle);
      for (const buffer of this.#buffers) buffer.release();
    });
  }
}
