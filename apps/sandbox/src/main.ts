/** The sandbox's process: loopback only, refused in production. */
import { loadRuntime } from "@cardkeep/runtime/compose";
import { runUntilStopped } from "@cardkeep/runtime/process";
import { createSandbox } from "./app.ts";
import { seed } from "./seed.ts";

await runUntilStopped("sandbox", async () => {
  const runtime = await loadRuntime("sandbox");
  const { fetch } = createSandbox(runtime);
  await seed(runtime);
  const server = Bun.serve({ hostname: "127.0.0.1", port: runtime.settings.sandboxPort, fetch });
  runtime.log.info({ port: server.port }, "listening");
  return async () => {
    await server.stop(true);
    await runtime.close();
  };
});
