/**
 * Instance creation and the layers and extensions that the loader offers.
 * Layouts are those of the Vulkan registry (vulkan_core.h).
 */
import { struct } from "../layout.ts";
import { chars, ptr, u32, u64 } from "../types.ts";

/** `VkApplicationInfo`. */
export const ApplicationInfo = struct("VkApplicationInfo", {
  sType: u32,
  pNext: ptr,
  pApplicationName: ptr,
  applicationVersion: u32,
  pEngineName: ptr,
  engineVersion: u32,
  apiVersion: u32,
}, { sType: 0 });

/** `VkInstanceCreateInfo`. */
export const InstanceCreateInfo = struct("VkInstanceCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  pApplicationInfo: ptr,
  enabledLayerCount: u32,
  ppEnabledLayerNames: ptr,
  enabledExtensionCount: u32,
  ppEnabledExtensionNames: ptr,
}, { sType: 1 });

/** `VkLayerProperties`. */
export const LayerProperties = struct("VkLayerProperties", {
  layerName: chars(256),
  specVersion: u32,
  implementationVersion: u32,
  description: chars(256),
});

/** `VkExtensionProperties`. */
export const ExtensionProperties = struct("VkExtensionProperties", {
  extensionName: chars(256),
  specVersion: u32,
});

/** A handle on its own, for functions that list handles. */
export const Handle = struct("VkPhysicalDevice", { handle: u64 });
