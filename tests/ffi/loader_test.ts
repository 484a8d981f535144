import { installHint, libraryCandidates, openVulkan } from "../../ffi/loader.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";

const noEnv = () => undefined;

Deno.test("libraryCandidates() names each system's loaders in order", () => {
  assertEquals(libraryCandidates("linux", noEnv), ["libvulkan.so.1", "libvulkan.so"]);
  assertEquals(libraryCandidates("windows", noEnv), ["vulkan-1.dll"]);
  assertEquals(libraryCandidates("darwin", noEnv), [
    "libvulkan.1.dylib",
    "/opt/homebrew/lib/libvulkan.1.dylib",
    "/usr/local/lib/libvulkan.1.dylib",
    "libMoltenVK.dylib",
    "/opt/homebrew/lib/libMoltenVK.dylib",
    "/usr/local/lib/libMoltenVK.dylib",
  ]);
});

Deno.test("libraryCandidates() looks into VULKAN_SDK before Homebrew, and obeys ZINC_VULKAN_LIBRARY alone", () => {
  const sdk = libraryCandidates("darwin", (name) => name === "VULKAN_SDK" ? "/sdk" : undefined);
  assertEquals(sdk.slice(0, 3), [
    "libvulkan.1.dylib",
    "/sdk/lib/libvulkan.1.dylib",
    "/sdk/macOS/lib/libvulkan.1.dylib",
  ]);
  assertEquals(libraryCandidates("linux", (name) => name === "ZINC_VULKAN_LIBRARY" ? "/x.so" : undefined), [
    "/x.so",
  ]);
});

Deno.test("openVulkan() without a loader says which package to install", async () => {
  const error = await assertFails(() => openVulkan(["/nowhere/libvulkan.so.1"], "linux"), /./);
  assertEquals(error.name, "LoaderError");
  assertEquals(
    error.message,
    "Cannot find a Vulkan loader (tried /nowhere/libvulkan.so.1): install libvulkan1 and mesa-vulkan-drivers (Debian, " +
      "Ubuntu), vulkan-loader and mesa-vulkan-drivers (Fedora), or vulkan-icd-loader and your card's driver (Arch)",
  );
});

Deno.test("openVulkan() goes on past a library that is no Vulkan loader", async () => {
  await assertFails(
    () => openVulkan(["libc.so.6"], "linux"),
    /Cannot find a Vulkan loader \(tried libc\.so\.6\)/,
  );
  assert(openVulkan(["/nowhere.so", "libc.so.6", "libvulkan.so.1"], "linux").vkCreateInstance !== null);
});

Deno.test("installHint() speaks of the system's own drivers", () => {
  assert(installHint("darwin").includes("brew install molten-vk"));
  assert(installHint("windows").includes("graphics driver"));
});
