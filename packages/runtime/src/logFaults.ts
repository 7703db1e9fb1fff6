import { createLog } from "./log.ts";

/**
 * Has what the engine would print as text logged as JSON: warnings, and the fault that ends the process with 1. So every line of
 * the standard output is JSON, however a process ends.
 */
export function logFaults(part: string): void {
  const log = createLog({ part, level: "info" });
  const end = (err: unknown): never => {
    log.fatal({ err }, "ended by a fault that no code handled");
    process.exit(1);
  };
  process.removeAllListeners("warning");
  process.on("warning", (err) => log.warn({ err }, "the engine warns"));
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
}
