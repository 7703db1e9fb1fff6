/** The sandbox's process: loopback only, refused in production. */
import { loadRuntime } from "@cardkeep/runtime/compose";
import { runUntilStopped } from "@cardkeep/runtime/runUntilStopped";
import { createElements } from "./elements/app.ts";
import { migrate } from "./migrate.ts";
import { openStore } from "./core/openStore.ts";
import { seed } from "./seed.ts";
import { serveSandbox } from "./serveSandbox.ts";

await runUntilStopped("sandbox", async () => {
  const runtime = openStore(await loadRuntime("sandbox"));
  const { sandboxDatabaseUrl, databaseSessionUrl } = runtime.settings;
  const storeUrl = sandboxDatabaseUrl ?? databaseSessionUrl;
  if (storeUrl !== undefined) await migrate(storeUrl);
  await seed(runtime);
  const server = serveSandbox(runtime);
  // A separate origin, so that an app that frames it cannot read it.
  const elements = Bun.serve({
    hostname: "127.0.0.1",
    port: runtime.settings.elementsPort,
    fetch: createElements(runtime).fetch,
  });
  runtime.log.info({ port: server.port, elementsPort: elements.port }, "listening");
  return {
    stop: async () => {
      await Promise.all([server.stop(true), elements.stop(true)]);
      await runtime.close();
    },
  };
});
