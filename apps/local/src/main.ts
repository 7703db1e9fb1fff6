/** `bun start`: the whole program on one machine, in the foreground. */
import { SettingsError } from "@cardkeep/runtime/settings";
import { startEverything } from "./supervisor.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const stopping = Promise.withResolvers<number>();
process.on("SIGINT", () => stopping.resolve(0));
process.on("SIGTERM", () => stopping.resolve(0));

try {
  const everything = await startEverything(say, stopping.promise);
  const code = await Promise.race([stopping.promise, everything.failed]);
  say("Stopping …");
  await everything.stop();
  process.exit(code);
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`cardkeep: ${error instanceof SettingsError ? "the settings have faults:\n" : ""}${text}\n`);
  process.exit(1);
}
