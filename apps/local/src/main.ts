/** `bun start`: the whole program on one machine, in the foreground. */
import { SettingsError } from "@cardkeep/runtime/settings";
import { startEverything } from "./supervisor.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const stopping = Promise.withResolvers<void>();
process.on("SIGINT", () => stopping.resolve());
process.on("SIGTERM", () => stopping.resolve());

try {
  const everything = await startEverything(say, stopping.promise);
  const failure = await Promise.race([stopping.promise.then(() => null), everything.failed]);
  if (failure !== null) process.stderr.write(`cardkeep: ${failure}\n`);
  say("Stopping …");
  await everything.stop();
  process.exit(failure === null ? 0 : 1);
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`cardkeep: ${error instanceof SettingsError ? "the settings have faults:\n" : ""}${text}\n`);
  process.exit(1);
}
