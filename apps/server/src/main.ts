/** `bun run server`: serves until SIGTERM or SIGINT, then drains and finishes the requests in flight. */
import { checkAddresses } from "@cardkeep/runtime/addresses";
import { loadRuntime } from "@cardkeep/runtime/compose";
import { checkContracts } from "@cardkeep/runtime/contracts";
import { startDecisionRecords } from "@cardkeep/runtime/recordDecisions";
import { startKeyRecords } from "@cardkeep/runtime/recordKeys";
import { runUntilStopped } from "@cardkeep/runtime/runUntilStopped";
import { watchSecretFiles } from "@cardkeep/runtime/watchSecretFiles";
import { logVersion } from "@cardkeep/runtime/version";
import { createServer } from "./server.ts";

// Without `await`, so that it can be compiled ahead.
void runUntilStopped("server", async (life) => {
  const runtime = await loadRuntime("server");
  const secretFiles = watchSecretFiles({ runtime, role: "server" });
  await checkAddresses(runtime, life);
  await logVersion(runtime);
  await checkContracts(runtime, life);
  const server = createServer(runtime);
  const port = server.listen(runtime.settings.port);
  const keyRecords = startKeyRecords(runtime);
  const decisionRecords = startDecisionRecords(runtime);
  runtime.log.info({ port }, "listening");
  return {
    drain: async () => {
      const { drainSeconds } = runtime.settings;
      if (drainSeconds === 0) return;
      runtime.log.info({ drainSeconds }, "draining: /readyz is 503");
      server.drain();
      await Bun.sleep(drainSeconds * 1_000);
    },
    stop: async () => {
      secretFiles.stop();
      await Promise.all([server.stop(), keyRecords.stop()]);
      await decisionRecords.stop();
      await runtime.close();
    },
  };
});
