import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createRateLimits } from "@cardkeep/domain/core/limits/rateLimits";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { renderStopBanner } from "@cardkeep/server/operator/operations/stops";

let runtime: Runtime;
const warnings: string[] = [];

beforeAll(async () => {
  const env = { DATABASE_URL: "postgres://127.0.0.1:1/away", RPC_URL: "http://127.0.0.1:1", LOG_LEVEL: "silent" };
  runtime = await createRuntime(readSettings(env, "server"), "server");
});
afterAll(() => runtime.close());

describe("while the database is away", () => {
  test("requests are granted, and the log says once that nothing counts them", async () => {
    const log = {
      info: () => {},
      error: () => {},
      warn: (_fields: object, message: string) => void warnings.push(message),
    };
    const limits = createRateLimits({ db: runtime.db, clock: runtime.clock, log });
    const quota = { name: "reads", count: 2, withinSeconds: 60 } as const;
    for (const subject of ["ada", "ada", "bob"]) await limits.take(quota, subject);
    expect(warnings).toEqual(["The database grants no requests. This process grants them alone"]);
  });

  test("the operator's pages say that they do not know what is stopped", async () => {
    expect((await renderStopBanner(runtime.db))?.html).toContain("The database does not answer");
  });
});
