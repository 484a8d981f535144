/** Choosing the device to run on: pure functions over what the drivers report. */
import { DRIVER_ID } from "../../ffi/enums.ts";
import { usageError, UserError } from "../common/errors.ts";
import type { DeviceType } from "./memory_types.ts";

/** What the choice depends on. */
export interface AdapterSummary {
  /** Name by the driver. */
  name: string;
  /** Kind of device. */
  type: DeviceType;
  /** `deviceUUID` in hexadecimal. */
  uuid: string;
  /** `"domain:bus:device.function"`, where reported. */
  pciAddress: string | null;
  /** `VkDriverId`. */
  driverId: number;
  /** Bytes of memory for models that are free now. */
  freeBytes: number;
  /** Names of required features that it lacks. Default: none. */
  missing?: readonly string[];
}

const RANK: DeviceType[] = ["discrete", "integrated", "virtual", "other", "cpu"];

/** One entry per piece of hardware: a card that two drivers offer appears once, by RADV if that is one of them. */
export function distinctAdapters<A extends AdapterSummary>(adapters: readonly A[]): A[] {
  const distinct: A[] = [];
  for (const adapter of adapters) {
    const twin = distinct.findIndex((other) => sameHardware(adapter, other));
    if (twin < 0) distinct.push(adapter);
    else if (adapter.driverId === DRIVER_ID.MESA_RADV) distinct[twin] = adapter;
  }
  return distinct;
}

/**
 * The device to use. Without a selection: a discrete card before an integrated one before a virtual one before the
 * CPU, of equals the one with the most free memory; one that lacks a required feature only where there is no other.
 *
 * @param selection A number as `zinc devices` prints it, or a part of the name, in any case.
 * @throws UserError when nothing matches (exit code 2) or there is no device.
 */
export function chooseAdapter<A extends AdapterSummary>(adapters: readonly A[], selection?: string): A {
  const distinct = distinctAdapters(adapters);
  if (distinct.length === 0) throw new UserError("Cannot find a Vulkan device: no driver offers one");
  if (selection !== undefined && selection !== "") return select(distinct, selection);
  const order = (a: A, b: A) => RANK.indexOf(a.type) - RANK.indexOf(b.type) || b.freeBytes - a.freeBytes;
  const usable = distinct.filter((a) => !a.missing?.length);
  return (usable.length > 0 ? usable : distinct).toSorted(order)[0];
}

function select<A extends AdapterSummary>(adapters: readonly A[], selection: string): A {
  const list = adapters.map((a, i) => `${i}: ${a.name}`).join(", ");
  if (/^\d+(,\d+)+$/.test(selection)) {
    throw usageError(`Cannot use devices ${selection}: zinc runs on one device; choose one of ${list}`);
  }
  const chosen = /^\d+$/.test(selection)
    ? adapters[Number(selection)]
    : adapters.find((a) => a.name.toLowerCase().includes(selection.toLowerCase()));
  if (chosen === undefined) throw usageError(`Cannot find device "${selection}": there is ${list}`);
  return chosen;
}

function sameHardware(a: AdapterSummary, b: AdapterSummary): boolean {
  if (a.pciAddress !== null && a.pciAddress === b.pciAddress) return true;
  return a.uuid === b.uuid && !/^0*$/.test(a.uuid);
}
