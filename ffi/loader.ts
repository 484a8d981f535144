/**
 * Finds and opens the Vulkan loader. The library is opened once per process and never closed: closing it while a
 * non-blocking call is pending crashes, and drivers do not unload cleanly.
 */
import { CORE_SYMBOLS, type VulkanFunctions } from "./functions.ts";

/** No Vulkan loader on this system; the message says what to install. */
export class LoaderError extends Error {
  /** Name of the class. */
  override name = "LoaderError";
}

/** Where the Vulkan loader may be, in order, for each operating system. `ZINC_VULKAN_LIBRARY` replaces the list. */
export function libraryCandidates(os: string, env: (name: string) => string | undefined): string[] {
  const override = env("ZINC_VULKAN_LIBRARY");
  if (override) return [override];
  if (os === "windows") return ["vulkan-1.dll"];
  if (os !== "darwin") return ["libvulkan.so.1", "libvulkan.so"];
  const folders = ["/opt/homebrew/lib/", "/usr/local/lib/"];
  const sdk = env("VULKAN_SDK");
  if (sdk) folders.unshift(`${sdk}/lib/`, `${sdk}/macOS/lib/`);
  return ["libvulkan.1.dylib", "libMoltenVK.dylib"].flatMap((
    name,
  ) => [name, ...folders.map((f) => f + name)]);
}

/** What to install where no Vulkan loader was found. */
export function installHint(os: string): string {
  if (os === "windows") return "install the graphics driver of your card's vendor";
  if (os === "darwin") return "install MoltenVK: brew install molten-vk vulkan-loader";
  return "install libvulkan1 and mesa-vulkan-drivers (Debian, Ubuntu), vulkan-loader and mesa-vulkan-drivers " +
    "(Fedora), or vulkan-icd-loader and your card's driver (Arch)";
}

/** Opens the first of `candidates` that is a Vulkan 1.2 loader; throws LoaderError when there is none. */
export function openVulkan(candidates: string[], os: string): VulkanFunctions {
  const symbols = Object.fromEntries(
    Object.entries(CORE_SYMBOLS).map(([name, symbol]) => [name, { ...symbol, optional: true }]),
  ) as unknown as typeof CORE_SYMBOLS;
  const problems: string[] = [];
  for (const path of candidates) {
    let functions: VulkanFunctions;
    try {
      functions = Deno.dlopen(path, symbols).symbols;
    } catch (error) {
      problems.push((error as Error).message);
      continue;
    }
    const absent = Object.entries(functions).filter(([, f]) => f === null).map(([name]) => name);
    if (absent.length === 0) return functions;
    problems.push(`${path} lacks ${absent[0]}, which Vulkan 1.2 has`);
  }
  throw new LoaderError(
    `Cannot find a Vulkan loader (tried ${candidates.join(", ")}): ${installHint(os)}`,
    { cause: problems },
  );
}

let opened: VulkanFunctions | undefined;

/** The functions of this system's Vulkan loader, opened at the first call. */
export function loadVulkan(): VulkanFunctions {
  return opened ??= openVulkan(libraryCandidates(Deno.build.os, (name) => Deno.env.get(name)), Deno.build.os);
}
