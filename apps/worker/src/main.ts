/** `bun run worker`: runs jobs until SIGTERM or SIGINT, then finishes those in flight. */
import { loadRuntime } from "@cardkeep/runtime/compose";
import { runUntilStopped } from "@cardkeep/runtime/process";
import { startWorker } from "./worker.ts";

await runUntilStopped("worker", async () => {
  const runtime = await loadRuntime("worker");
  const worker = await startWorker(runtime);
  runtime.log.info({}, "taking jobs");
  return async () => {
    await worker.stop();
    await runtime.close();
  };
});
