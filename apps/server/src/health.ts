/** Whether the process lives, and whether it can serve. */
import { pingDatabase } from "@cardkeep/db/queries/health";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";

/** What `/readyz` tells of each part. */
type PartStatus = "ok" | "down" | "wrong chain";

/** Mounts `/livez`, always 200, and `/readyz`: 503 without the database, degraded but 200 without the chain. */
export function mountHealth(app: Elysia, runtime: Runtime): void {
  app.get("/livez", () => Response.json({ status: "ok" }));
  app.get("/readyz", async () => {
    const [database, chain] = await Promise.all([checkDatabase(runtime), checkChain(runtime)]);
    const status = database !== "ok" ? "down" : chain === "ok" ? "ok" : "degraded";
    return Response.json({ status, parts: { database, chain } }, { status: status === "down" ? 503 : 200 });
  });
}

const checkDatabase = (runtime: Runtime): Promise<PartStatus> =>
  pingDatabase(runtime.db).then(
    () => "ok",
    () => "down",
  );

const checkChain = (runtime: Runtime): Promise<PartStatus> =>
  runtime.chain.getChainId().then(
    (chainId) => (chainId === runtime.settings.chainId ? "ok" : "wrong chain"),
    () => "down",
  );
