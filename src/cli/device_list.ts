/** The devices of this machine, described for people and scripts. */
import { versionText } from "../../ffi/enums.ts";
import { type Adapter, chooseAdapter, distinctAdapters, Instance, noDriver } from "../vulkan/mod.ts";

/** One device. Field names are those of `zinc devices --json`. */
export interface DeviceEntry {
  /** What `--device` takes. */
  readonly index: number;
  /** Name by the driver. */
  readonly name: string;
  /** `cpu` is a software driver. */
  readonly type: string;
  /** Driver, such as `radv`. */
  readonly driver: string;
  /** Its version, in its own words. */
  readonly driver_info: string;
  /** Version of Vulkan. */
  readonly api_version: string;
  /** `deviceUUID`. */
  readonly uuid: string;
  /** PCI address, where reported. */
  readonly pci: string | null;
  /** Bytes for models. */
  readonly memory_total: number;
  /** Bytes of them that are free now. */
  readonly memory_free: number;
  /** Lanes of a subgroup: by default, least and most. */
  readonly subgroup: { readonly size: number; readonly min: number; readonly max: number };
  /** Whether it has cooperative matrices. */
  readonly cooperative_matrix: boolean;
  /** Whether it has packed integer dot products. */
  readonly integer_dot_product: boolean;
  /** What zinc needs and it lacks. */
  readonly missing: readonly string[];
  /** Whether zinc takes it when nothing is said. */
  readonly default: boolean;
}

/** All devices, each piece of hardware once. Throws `UserError` when there is no loader or no driver. */
export function listDevices(): DeviceEntry[] {
  const adapters = distinctAdapters(Instance.ofProcess().adapters());
  if (adapters.length === 0) throw noDriver();
  const preferred = chooseAdapter(adapters);
  return adapters.map((adapter, index) => describe(adapter, index, adapter === preferred));
}

function describe(adapter: Adapter, index: number, isDefault: boolean): DeviceEntry {
  const { total, free } = adapter.memoryBudget();
  const { size, min, max } = adapter.subgroup;
  return {
    index,
    name: adapter.name,
    type: adapter.type,
    driver: adapter.driverName,
    driver_info: adapter.driverInfo,
    api_version: versionText(adapter.apiVersion),
    uuid: adapter.uuid,
    pci: adapter.pciAddress,
    memory_total: total,
    memory_free: free,
    subgroup: { size, min, max },
    cooperative_matrix: adapter.coopmatShapes.length > 0,
    integer_dot_product: adapter.features.shaderIntegerDotProduct,
    missing: adapter.missing,
    default: isDefault,
  };
}
