/** The dispatch that the scans of Mamba and Mamba-2 share: every channel has `stateSize` numbers of state. */
import type { DeviceMatrix, GpuContext, Span } from "./operation.ts";
import { spansOf } from "./recording.ts";
import { teamFor } from "./teams.ts";

/** One scan over the rows of a batch. */
export interface Scan {
  readonly operands: {
    /** `[rows, channels]` */
    readonly x: DeviceMatrix;
    /** `[rows, groups * stateSize]`, with the stride of `c`. */
    readonly b: DeviceMatrix;
    /** `[rows, groups * stateSize]` */
    readonly c: DeviceMatrix;
    /** `[rows, heads]` */
    readonly dt: DeviceMatrix;
    /** `[rows, channels]` */
    readonly gate: DeviceMatrix;
    /** `[rows, channels]` */
    readonly y: DeviceMatrix;
  };
  /** `[heads]`, or `[channels, stateSize]` where it is per element. */
  readonly decay: Span | 0;
  /** `[heads]` */
  readonly dtBias: Span | 0;
  /** `[heads]` */
  readonly skip: Span | 0;
  /** `[channels, stateSize]` */
  readonly state: Span;
  readonly stateSize: number;
  readonly decayPerElement: boolean;
  /** Channels of a head. */
  readonly headDim: number;
  /** Channels that share b and c. */
  readonly groupDim: number;
}

/** Columns `[start, start + width)` of a matrix in device memory. */
export function columnsOf({ span, rows, stride }: DeviceMatrix, start: number, width: number): DeviceMatrix {
  const bytes = ((rows - 1) * stride + width) * Float32Array.BYTES_PER_ELEMENT;
  const offset = span.offset + start * Float32Array.BYTES_PER_ELEMENT;
  return { span: { ...span, offset, bytes }, rows, width, stride };
}

/** Records a scan: a team of lanes per channel. */
export function recordScan(gpu: GpuContext, scan: Scan): void {
  const { x, b, c, dt, gate, y } = scan.operands;
  const { workgroup, team } = teamFor(gpu.kernels, scan.stateSize, y.width);
  const constants = {
    WORKGROUP: workgroup,
    TEAM: team,
    STATE: scan.stateSize,
    DECAY_PER_ELEMENT: scan.decayPerElement,
  };
  gpu.recorder.dispatch(gpu.kernels.get("state_space_scan", { constants }), {
    workgroups: [Math.ceil(y.width / (workgroup / team)), 1, 1],
    push: {
      step: gpu.step,
      x: x.span,
      b: b.span,
      c: c.span,
      dt: dt.span,
      gate: gate.span,
      y: y.span,
      decay: scan.decay,
      dtBias: scan.dtBias,
      skip: scan.skip,
      state: scan.state,
      channels: y.width,
      headDim: scan.headDim,
      groupDim: scan.groupDim,
      xStride: x.stride,
      bcStride: b.stride,
      dtStride: dt.stride,
      gateStride: gate.stride,
      yStride: y.stride,
    },
    reads: [gpu.step, scan.state, ...spansOf(x, b, c, dt, gate)],
    writes: [scan.state, ...spansOf(y)],
  });
}
