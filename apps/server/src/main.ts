/** `bun run server`: serves until SIGTERM or SIGINT, then finishes the requests in flight. */
import { loadRuntime } from "@cardkeep/runtime/compose";
import { checkContracts } from "@cardkeep/runtime/contracts";
import { runUntilStopped } from "@cardkeep/runtime/runUntilStopped";
import { logVersion } from "@cardkeep/runtime/version";
import { createServer } from "./server.ts";

await runUntilStopped("server", async () => {
  const runtime = await loadRuntime("server");
  await logVersion(runtime);
  await checkContracts(runtime);
  const server = createServer(runtime);
  const port = server.listen(runtime.settings.port);
  runtime.log.info({ port }, "listening");
  return async () => {
    await server.stop();
    await runtime.close();
  };
});
