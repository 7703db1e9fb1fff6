import { afterAll, beforeAll, expect, test } from "bun:test";
import { createServer, type Server } from "@cardkeep/server/server";
import { filled } from "../support/filled.ts";
import { dawdle } from "../support/rawClient.ts";
import { type Service, startService } from "../support/service.ts";
import { fuzz, invite } from "../fuzz/fuzz.ts";

let service: Service;
let impatient: Server;
/** Slow clients beside all other tests; each resolves when the server closes its connection. */
let dawdling: Promise<string>[];
beforeAll(async () => {
  service = await startService();
  impatient = createServer(service.runtime, { idleTimeout: 4 });
  const port = impatient.listen(0);
  const post = "POST /api/v1/auth/challenge HTTP/1.1\r\nHost: localhost\r\n";
  dawdling = [
    dawdle(port, "GET /livez HTTP/1.1\r\nHost: localhost\r\n", "X-More: 1\r\n"),
    dawdle(port, `${post}Content-Length: 60000\r\n\r\n{`, " "),
    dawdle(port, `${post}Transfer-Encoding: chunked\r\n\r\n`, "1\r\n \r\n"),
    dawdle(port, "", ""),
  ];
});
afterAll(async () => {
  await impatient.stop();
  await service.stop();
});

test("for any request to an operation, on REST or tRPC, the answer has a documented status and shape, never a 5xx", async () => {
  const party = await invite(service);
  const { faults, statuses } = await fuzz(service, party, { seed: 20_261_121, runs: 5, surface: "rest" });
  expect(faults).toEqual([]);
  expect((await fuzz(service, party, { seed: 20_261_122, runs: 3, surface: "trpc" })).faults).toEqual([]);
  // Generated requests reach the rules, and also succeed.
  for (const status of [200, 400, 401, 404, 422]) expect(statuses[status]).toBeGreaterThan(20);
}, 120_000);

test("a path with invalid encoding is refused like any other unknown one, never a 5xx", async () => {
  for (const path of ["/order/%E0%A4%A", "/order/%00", "/order/%ff%fe/cancel", "/order/..%2f..%2fuser", "//", "/%"]) {
    const { status } = await fetch(`${service.url}/api/v1${path}`);
    expect([400, 401, 404, 405]).toContain(status);
  }
});

test("clients that send their head or body byte by byte, or nothing, are disconnected", async () => {
  for (const said of filled(await Promise.all(dawdling))) expect(said).not.toContain("200 OK");
}, 30_000);
