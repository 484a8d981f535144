/**
 * The function table.
 *
 * Core functions are symbols of the loader's library, declared as data: a call through `dlopen` costs about 14 ns,
 * through a function pointer about 1.2 µs. Handles and addresses are `u64` (BigInt), pointers are `buffer`: Deno keeps
 * such a buffer alive during the call, also a non-blocking one, but not what its content points to (see arena.ts).
 * Functions of extensions are not symbols of the loader; they come from `vkGetInstanceProcAddr` and are rarely called.
 */

/** A function that returns a `VkResult`. */
function result<const P extends Deno.NativeType[]>(...parameters: P): { parameters: P; result: "i32" } {
  return { parameters, result: "i32" };
}

/** A function that returns nothing. */
function nothing<const P extends Deno.NativeType[]>(...parameters: P): { parameters: P; result: "void" } {
  return { parameters, result: "void" };
}

/** The functions of Vulkan 1.2 that zinc calls. Parameters are those of the registry, in order. */
export const CORE_SYMBOLS = {
  vkGetInstanceProcAddr: { parameters: ["u64", "buffer"], result: "pointer" },
  vkEnumerateInstanceVersion: result("buffer"),
  vkEnumerateInstanceLayerProperties: result("buffer", "buffer"),
  vkEnumerateInstanceExtensionProperties: result("buffer", "buffer", "buffer"),
  vkCreateInstance: result("buffer", "buffer", "buffer"),
  // On a thread of Deno's pool, as all names that end so: the returned promise resolves to the `VkResult`.
  vkEnumerateInstanceExtensionPropertiesAsync: {
    name: "vkEnumerateInstanceExtensionProperties",
    parameters: ["buffer", "buffer", "buffer"],
    result: "i32",
    nonblocking: true,
  },
  vkCreateInstanceAsync: {
    name: "vkCreateInstance",
    parameters: ["buffer", "buffer", "buffer"],
    result: "i32",
    nonblocking: true,
  },
  vkEnumeratePhysicalDevicesAsync: {
    name: "vkEnumeratePhysicalDevices",
    parameters: ["u64", "buffer", "buffer"],
    result: "i32",
    nonblocking: true,
  },
  vkCreateDeviceAsync: {
    name: "vkCreateDevice",
    parameters: ["u64", "buffer", "buffer", "buffer"],
    result: "i32",
    nonblocking: true,
  },
  vkDestroyInstance: nothing("u64", "buffer"),
  vkEnumeratePhysicalDevices: result("u64", "buffer", "buffer"),
  vkEnumerateDeviceExtensionProperties: result("u64", "buffer", "buffer", "buffer"),
  vkGetPhysicalDeviceProperties2: nothing("u64", "buffer"),
  vkGetPhysicalDeviceFeatures2: nothing("u64", "buffer"),
  vkGetPhysicalDeviceMemoryProperties2: nothing("u64", "buffer"),
  vkGetPhysicalDeviceQueueFamilyProperties: nothing("u64", "buffer", "buffer"),
  vkCreateDevice: result("u64", "buffer", "buffer", "buffer"),
  vkDestroyDevice: nothing("u64", "buffer"),
  vkDeviceWaitIdle: result("u64"),
  vkGetDeviceQueue: nothing("u64", "u32", "u32", "buffer"),
  vkAllocateMemory: result("u64", "buffer", "buffer", "buffer"),
  vkFreeMemory: nothing("u64", "u64", "buffer"),
  vkMapMemory: result("u64", "u64", "u64", "u64", "u32", "buffer"),
  vkCreateBuffer: result("u64", "buffer", "buffer", "buffer"),
  vkDestroyBuffer: nothing("u64", "u64", "buffer"),
  vkGetBufferMemoryRequirements: nothing("u64", "u64", "buffer"),
  vkBindBufferMemory: result("u64", "u64", "u64", "u64"),
  vkGetBufferDeviceAddress: { parameters: ["u64", "buffer"], result: "u64" },
  vkCreateShaderModule: result("u64", "buffer", "buffer", "buffer"),
  vkDestroyShaderModule: nothing("u64", "u64", "buffer"),
  vkCreatePipelineLayout: result("u64", "buffer", "buffer", "buffer"),
  vkDestroyPipelineLayout: nothing("u64", "u64", "buffer"),
  vkCreatePipelineCache: result("u64", "buffer", "buffer", "buffer"),
  vkGetPipelineCacheData: result("u64", "u64", "buffer", "buffer"),
  vkDestroyPipelineCache: nothing("u64", "u64", "buffer"),
  vkCreateComputePipelines: result("u64", "u64", "u32", "buffer", "buffer", "buffer"),
  /** `vkCreateComputePipelines` on a thread of Deno's pool; the returned promise resolves to the `VkResult`. */
  vkCreateComputePipelinesAsync: {
    name: "vkCreateComputePipelines",
    parameters: ["u64", "u64", "u32", "buffer", "buffer", "buffer"],
    result: "i32",
    nonblocking: true,
  },
  vkDestroyPipeline: nothing("u64", "u64", "buffer"),
  vkCreateCommandPool: result("u64", "buffer", "buffer", "buffer"),
  vkDestroyCommandPool: nothing("u64", "u64", "buffer"),
  vkAllocateCommandBuffers: result("u64", "buffer", "buffer"),
  vkFreeCommandBuffers: nothing("u64", "u64", "u32", "buffer"),
  vkBeginCommandBuffer: result("u64", "buffer"),
  vkEndCommandBuffer: result("u64"),
  vkCmdBindPipeline: nothing("u64", "u32", "u64"),
  vkCmdPushConstants: nothing("u64", "u64", "u32", "u32", "u32", "buffer"),
  vkCmdDispatch: nothing("u64", "u32", "u32", "u32"),
  vkCmdPipelineBarrier: nothing(
    "u64",
    "u32",
    "u32",
    "u32",
    "u32",
    "buffer",
    "u32",
    "buffer",
    "u32",
    "buffer",
  ),
  vkCmdCopyBuffer: nothing("u64", "u64", "u64", "u32", "buffer"),
  vkCmdFillBuffer: nothing("u64", "u64", "u64", "u64", "u32"),
  vkCreateQueryPool: result("u64", "buffer", "buffer", "buffer"),
  vkDestroyQueryPool: nothing("u64", "u64", "buffer"),
  vkGetQueryPoolResults: result("u64", "u64", "u32", "u32", "u64", "buffer", "u64", "u32"),
  vkCmdResetQueryPool: nothing("u64", "u64", "u32", "u32"),
  vkCmdWriteTimestamp: nothing("u64", "u32", "u64", "u32"),
  vkCreateSemaphore: result("u64", "buffer", "buffer", "buffer"),
  vkDestroySemaphore: nothing("u64", "u64", "buffer"),
  vkGetSemaphoreCounterValue: result("u64", "u64", "buffer"),
  vkQueueSubmit: result("u64", "u32", "buffer", "u64"),
  /** `vkWaitSemaphores` on a thread of Deno's pool; the returned promise resolves to the `VkResult`. */
  vkWaitSemaphoresAsync: {
    name: "vkWaitSemaphores",
    parameters: ["u64", "buffer", "u64"],
    result: "i32",
    nonblocking: true,
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** The core functions, ready to be called. */
export type VulkanFunctions = Deno.StaticForeignLibraryInterface<typeof CORE_SYMBOLS>;

/** Signatures of the extension functions, by name. */
export const EXTENSION_SYMBOLS = {
  vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR: result("u64", "buffer", "buffer"),
  vkGetPipelineExecutablePropertiesKHR: result("u64", "buffer", "buffer", "buffer"),
  vkGetPipelineExecutableStatisticsKHR: result("u64", "buffer", "buffer", "buffer"),
  vkGetPipelineExecutableInternalRepresentationsKHR: result("u64", "buffer", "buffer", "buffer"),
} as const satisfies Record<string, Deno.ForeignFunction>;

/** Name of an extension function that zinc calls. */
export type ExtensionName = keyof typeof EXTENSION_SYMBOLS;

/** The call of an extension function. */
export type ExtensionCall<N extends ExtensionName> = Deno.UnsafeFnPointer<
  (typeof EXTENSION_SYMBOLS)[N]
>["call"];

/** The function `name` of an extension that is enabled on `instance` or its device, or null where there is none. */
export function extensionFunction<N extends ExtensionName>(
  vk: VulkanFunctions,
  instance: bigint,
  name: N,
): ExtensionCall<N> | null {
  const pointer = vk.vkGetInstanceProcAddr(instance, new TextEncoder().encode(`${name}\0`));
  if (pointer === null) return null;
  const callable = new Deno.UnsafeFnPointer(
    pointer as Deno.PointerObject<never>,
    EXTENSION_SYMBOLS[name] as never,
  );
  return callable.call.bind(callable) as unknown as ExtensionCall<N>;
}
