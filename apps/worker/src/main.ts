/** `bun run worker`: runs jobs until SIGTERM or SIGINT, then finishes the jobs in flight. */
import { loadRuntime } from "@cardkeep/runtime/compose";
import { checkContracts } from "@cardkeep/runtime/contracts";
import { runUntilStopped } from "@cardkeep/runtime/runUntilStopped";
import { watchSecretFiles } from "@cardkeep/runtime/watchSecretFiles";
import { logVersion } from "@cardkeep/runtime/version";
import { serveMeasures } from "./measures.ts";
import { createStart } from "./start.ts";

// Without `await`, so that it can be compiled ahead.
void runUntilStopped("worker", async (life) => {
  const runtime = await loadRuntime("worker");
  const { workerPort } = runtime.settings;
  const start = createStart(runtime);
  const secretFiles = watchSecretFiles({ runtime, role: "worker", onChange: start.publishKeys });
  // Before the database answers, so that no liveness probe ends a worker that waits for it.
  const measures = workerPort === null ? null : serveMeasures(runtime, workerPort, start);
  await checkContracts(runtime, life);
  const worker = await start.run(life.stopping);
  if (worker !== null) {
    await logVersion(runtime);
    runtime.log.info({}, "taking jobs");
  }
  return {
    stop: async () => {
      secretFiles.stop();
      await worker?.stop();
      await measures?.stop();
      await runtime.close();
    },
  };
});
