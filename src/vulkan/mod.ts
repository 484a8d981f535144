/** The device layer: everything above it talks to Vulkan through these. */
export { Adapter, type AdapterLimits } from "./adapter.ts";
export { DeviceBuffer, type Span, span, spanAddress } from "./buffer.ts";
export { bytesFromEnv, formatBytes, parseBytes } from "./byte_size.ts";
export { type AdapterSummary, chooseAdapter, distinctAdapters } from "./choose.ts";
export { CommandBuffer } from "./command_buffer.ts";
export { chooseCoopmatShape, type CoopmatShape } from "./cooperative_matrix.ts";
export { Device, type DeviceInfo, type DeviceOptions } from "./device.ts";
export { MAX_PUSH_BYTES } from "./features.ts";
export { Instance, type InstanceOptions, noDriver, validationAvailable } from "./instance.ts";
export { BUFFER_ALIGN, type BufferKind } from "./memory.ts";
export { type DeviceType, type MemoryBudget } from "./memory_types.ts";
export { type ComputePipeline, f32Bits, type PipelineOptions } from "./pipeline.ts";
export { type LabelTime } from "./profile.ts";
export { type Dispatch, Recorder, type RecorderOptions } from "./recorder.ts";
export { DeviceLostError, OutOfMemoryError } from "./result.ts";
export { type WaitOptions } from "./timeline.ts";
export { Uploader, type UploaderOptions, type UploadSource } from "./uploader.ts";
