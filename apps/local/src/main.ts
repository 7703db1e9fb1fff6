/** `bun start`: the whole program on one machine, in the foreground. */
import { createColors } from "@cardkeep/terminal/colors";
import { createProgress } from "@cardkeep/terminal/progress";
import { readLocalOptions, UsageError } from "./localOptions.ts";

const runnerCheckMs = 500;

const stopping = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.resolve());

// The visible process is the runner of this one. If it is killed, this process must stop too.
const runner = process.ppid;
if (
  ["start", "dev", "cardkeep"].includes(process.env["npm_lifecycle_event"] ?? "") ||
  process.env["CARDKEEP_LAUNCHER"] !== undefined
) {
  setInterval(() => process.ppid !== runner && stopping.resolve(), runnerCheckMs).unref();
}

process.exit(await run());

async function run(): Promise<number> {
  const options = await readLocalOptions(process.argv.slice(2)).catch((error: unknown) => {
    if (error instanceof UsageError) return error;
    throw error;
  });
  if (options instanceof UsageError) {
    process.stderr.write(`cardkeep: ${options.message}\n`);
    return 2;
  }
  Object.assign(process.env, options.env);
  // Wrong arguments are refused before the parts are loaded.
  const [{ startEverything }, { SettingsError }] = await Promise.all([
    import("./supervisor.ts"),
    import("@cardkeep/runtime/settings"),
  ]);
  const lines = options.isJson ? process.stderr : process.stdout;
  const progress = createProgress({ lines, activity: options.isJson ? null : process.stderr });
  const colors = createColors(lines);
  try {
    const everything = await startEverything({ progress, colors }, stopping.promise, options);
    if (options.isJson && everything.addresses) process.stdout.write(`${JSON.stringify(everything.addresses)}\n`);
    const failure = await Promise.race([stopping.promise.then(() => null), everything.failed]);
    if (failure !== null) process.stderr.write(`cardkeep: ${failure}\n`);
    progress.print("Stopping …");
    progress.begin("stops every part");
    await everything.stop();
    progress.end();
    return failure === null ? 0 : 1;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    progress.end();
    process.stderr.write(`cardkeep: ${error instanceof SettingsError ? "These settings are invalid:\n" : ""}${text}\n`);
    return 1;
  } finally {
    await options.cleanUp();
  }
}
