import type { Runtime } from "./compose.ts";

/** Runs `record` at once and every `everyMs`. A failure is logged once, until it succeeds again. */
export function startRecords(
  { log }: Pick<Runtime, "log">,
  { everyMs, warning, record }: { everyMs: number; warning: string; record: () => Promise<void> },
): { stop(): Promise<void> } {
  let isFailing = false;
  const tryRecord = async (): Promise<void> => {
    try {
      await record();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, warning);
      isFailing = true;
    }
  };
  let recording = tryRecord();
  const timer = setInterval(() => {
    recording = recording.then(tryRecord);
  }, everyMs).unref();
  return {
    stop: () => {
      clearInterval(timer);
      return recording;
    },
  };
}
