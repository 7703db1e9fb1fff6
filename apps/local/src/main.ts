/** `bun start`: the whole program on one machine, in the foreground. */
import { SettingsError } from "@cardkeep/runtime/settings";
import { createProgress } from "./progress.ts";
import { startEverything } from "./supervisor.ts";

const runnerCheckMs = 500;

const progress = createProgress(process.stdout);
const stopping = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.resolve());

// Under `bun start` the visible process is the script's runner. If it is killed, this process must stop too.
const runner = process.ppid;
if (process.env["npm_lifecycle_event"] === "start") {
  setInterval(() => process.ppid !== runner && stopping.resolve(), runnerCheckMs).unref();
}

try {
  const everything = await startEverything(progress, stopping.promise);
  const failure = await Promise.race([stopping.promise.then(() => null), everything.failed]);
  if (failure !== null) process.stderr.write(`cardkeep: ${failure}\n`);
  progress.say("Stopping …");
  await everything.stop();
  process.exit(failure === null ? 0 : 1);
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  progress.say("");
  process.stderr.write(`cardkeep: ${error instanceof SettingsError ? "These settings are invalid:\n" : ""}${text}\n`);
  process.exit(1);
}
