/** Requests of a sandbox by what they count against, in the present window of time. */
import type { SandboxRuntime } from "./openStore.ts";

interface Window {
  index: number;
  counts: Map<string, number>;
}

/** Partners count in windows of different length. */
const windows = new WeakMap<SandboxRuntime, Map<number, Window>>();

/** Counts a request, and returns how many there were of its name in the present window. */
export function countRequest(runtime: SandboxRuntime, name: string, windowMs: number): number {
  const index = Math.floor(performance.now() / windowMs);
  const ofRuntime = windows.get(runtime) ?? new Map<number, Window>();
  windows.set(runtime, ofRuntime);
  const known = ofRuntime.get(windowMs);
  const present = known?.index === index ? known : { index, counts: new Map<string, number>() };
  ofRuntime.set(windowMs, present);
  const count = (present.counts.get(name) ?? 0) + 1;
  present.counts.set(name, count);
  return count;
}
