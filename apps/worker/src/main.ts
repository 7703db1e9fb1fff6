/** `bun run worker`: runs jobs until SIGTERM or SIGINT, then finishes the jobs in flight. */
import { loadRuntime } from "@cardkeep/runtime/compose";
import { checkContracts } from "@cardkeep/runtime/contracts";
import { runUntilStopped } from "@cardkeep/runtime/runUntilStopped";
import { logVersion } from "@cardkeep/runtime/version";
import { serveMeasures } from "./measures.ts";
import { startWorker } from "./worker.ts";

await runUntilStopped("worker", async () => {
  const runtime = await loadRuntime("worker");
  await logVersion(runtime);
  await checkContracts(runtime);
  const worker = await startWorker(runtime);
  const { workerPort } = runtime.settings;
  const measures = workerPort === null ? null : serveMeasures(runtime, workerPort);
  runtime.log.info({}, "taking jobs");
  return async () => {
    await worker.stop();
    await measures?.stop();
    await runtime.close();
  };
});
