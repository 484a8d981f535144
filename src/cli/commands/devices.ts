/** `zinc devices`: what the Vulkan drivers of this machine offer. */
import { formatBytes } from "../../common/byte_size.ts";
import type { AddCommand } from "../command.ts";
import { table } from "../table.ts";

/** Adds `zinc devices`. */
export const addDevices: AddCommand = (program, { out }) => {
  program.command("devices")
    .summary("show the devices of this machine")
    .description(
      "Show the Vulkan devices of this machine. The number or a part of the name is what --device takes; * marks the default.",
    )
    .option("--json", "one JSON array")
    .action(async ({ json }: { json?: boolean }) => {
      const { listDevices } = await import("../device_list.ts");
      const devices = listDevices();
      if (json) return await out.json(devices);
      const rows = devices.map((device) => [
        `${device.default ? "*" : " "}${device.index}`,
        device.name,
        device.type,
        `${device.driver} ${device.driver_info}`.trim(),
        `${formatBytes(device.memory_free)} of ${formatBytes(device.memory_total)}`,
        device.missing.length === 0 ? "yes" : `no, lacks ${device.missing.join(", ")}`,
      ]);
      await out.write(await table(["#", "NAME", "TYPE", "DRIVER", "MEMORY FREE", "USABLE"], rows));
    });
};
