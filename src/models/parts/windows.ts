/** Which layers see only a sliding window, and how wide it is. */
import type { Config } from "../config.ts";

/** The pattern of a family's layers where the file does not say it by `attention.sliding_window_pattern`. */
export interface WindowPattern {
  /** One layer in each `period` is global; 0: none, all have the window. */
  readonly period: number;
  /** Whether the global layer is the first of its period; the last otherwise. */
  readonly globalFirst?: boolean;
}

/** No window that a layer was made for comes near. */
const MAX_WINDOW = 1 << 28;

/** The file's window in tokens, itself included; 0 without one. */
export function slidingWindow(config: Config): number {
  return config.keys.integer("attention.sliding_window", { min: 0, max: MAX_WINDOW }, 0);
}

/** Window of each layer in tokens, 0 for layers that see everything. */
export function layerWindows(config: Config, pattern: WindowPattern): number[] {
  const window = slidingWindow(config);
  return slidingLayers(config, pattern).map((sliding) => sliding ? window : 0);
}

/** For each layer whether it slides: one flag per layer, a period, or the family's own pattern. */
export function slidingLayers(config: Config, pattern: WindowPattern): boolean[] {
  const { keys, layers } = config;
  const key = "attention.sliding_window_pattern";
  if (keys.has(key) && keys.isArray(key)) return keys.perLayer(key, layers, { min: 0, max: 1 }).map(Boolean);
  const period = keys.integer(key, { min: 0, max: 1024 }, pattern.period);
  return Array.from({ length: layers }, (_, layer) => {
    if (period === 0) return true;
    return layer % period !== (pattern.globalFirst ? 0 : period - 1);
  });
}
