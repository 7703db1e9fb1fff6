import { afterAll, beforeAll, expect, test } from "bun:test";
import { createRowCalls } from "@cardkeep/domain/core/createRowCalls";
import { createBreaker } from "@cardkeep/providers/breaker";
import { callJson, ProviderUnavailable, ProviderUnreadable } from "@cardkeep/providers/http";
import { z } from "zod";

const tooLong = JSON.stringify({ name: "a".repeat(1024 * 1024) });
const answers: Readonly<Record<string, () => Response>> = {
  "/readable": () => Response.json({ name: "Ada" }),
  "/null-character": () => Response.json({ name: "a\0b" }),
  "/unpaired-surrogate": () => new Response(String.raw`{"name":"a\ud800b"}`),
  "/too-long": () => new Response(tooLong),
  "/gateway": () => new Response("<html>"),
  "/cut": () => new Response(`{"name":"Ad`),
  "/busy": () => new Response(tooLong, { status: 429 }),
  "/away": () => new Response(tooLong, { status: 503 }),
};
let partner: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  partner = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => answers[new URL(url).pathname]?.() ?? new Response(null, { status: 404 }),
  });
});
afterAll(() => partner.stop(true));

const ask = (path: string) =>
  callJson({
    url: new URL(path, partner.url).href,
    method: "GET",
    headers: {},
    timeoutMs: 5_000,
    answer: z.object({ name: z.string() }),
  });

/** Whether a partner still gets calls after ten such answers. */
async function isStillAsked(path: string): Promise<boolean> {
  const breaker = createBreaker("The partner", () => 0);
  for (let made = 0; made < 10; made++)
    await expect(breaker(() => ask(path))).rejects.toBeInstanceOf(ProviderUnavailable);
  return !breaker.isOpen() && (await breaker(() => ask("/readable"))).name === "Ada";
}

test.each(["/null-character", "/unpaired-surrogate", "/too-long"])(
  "an answer about one thing that cannot be read, %s, stops no call about others",
  async (path) => {
    await expect(ask(path)).rejects.toBeInstanceOf(ProviderUnreadable);
    expect(await isStillAsked(path)).toBe(true);
  },
);

test("a partner that takes no more calls for now is not away: calls of other kinds go on", async () => {
  expect(await isStillAsked("/busy")).toBe(true);
});

test.each(["/gateway", "/cut", "/away"])("a partner whose answers are %s is away", async (path) => {
  await expect(ask(path)).rejects.not.toBeInstanceOf(ProviderUnreadable);
  expect(await isStillAsked(path)).toBe(false);
});

test("rows of a comparison that cannot be read, however many in a row, are left out and hold up no other one", async () => {
  const skipped: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const call = createRowCalls({ log }, async (name) => {
    skipped.push(name);
  });
  const rows = ["/null-character", "/too-long", "/unpaired-surrogate", "/null-character", "/readable"];
  const read = [];
  for (const path of rows) read.push(await call(path, () => ask(path)));
  expect(read).toEqual([null, null, null, null, { name: "Ada" }]);
  expect(skipped).toEqual(rows.slice(0, 4));
});
