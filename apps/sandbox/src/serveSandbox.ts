import type { SandboxRuntime } from "./core/openStore.ts";
import { createSandbox } from "./app.ts";

/** A request may wait for a block, or for the service; a played journey waits for several of both. */
const answerSecondsMax = 180;

/** Serves the sandbox at the port of the settings, on loopback only. */
export const serveSandbox = (runtime: SandboxRuntime) =>
  Bun.serve({
    hostname: "127.0.0.1",
    port: runtime.settings.sandboxPort,
    fetch: createSandbox(runtime).fetch,
    idleTimeout: answerSecondsMax,
  });
