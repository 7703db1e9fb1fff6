import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { verifyDelivery } from "@cardkeep/client/webhooks";
import { mainOf } from "../support/bundles.ts";
import { runCli, spawnCli } from "../support/cli.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnProcess } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";
import { untilDelivered } from "../support/webhooks.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const started: { stop(): unknown }[] = [];
afterEach(() => {
  for (const each of started.splice(0)) each.stop();
});

/** A receiver on this machine, which answers the statuses in turn and then 200. */
function startReceiver(port = 0, statuses: number[] = []) {
  const received: { headers: Headers; body: string; url: string }[] = [];
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      received.push({ headers: request.headers, body: await request.text(), url: request.url });
      return new Response("seen", { status: statuses.shift() ?? 200 });
    },
  });
  started.push({ stop: () => server.stop(true) });
  const kinds = () => received.map(({ body }) => JSON.parse(body).eventType as string);
  return { url: `http://127.0.0.1:${server.port}/hooks?a=1`, received, kinds, stop: () => server.stop(true) };
}

/** `cardkeep listen` as its own process, once it listens. What earlier triggers caused has arrived before it. */
async function listen(to: string, ...words: string[]): Promise<AppProcess> {
  await untilDelivered(service.runtime);
  const flags = ["listen", "--forward-to", to, "--sandbox", service.sandboxUrl, ...words];
  const child = spawnProcess([process.execPath, mainOf("cli"), ...flags], {});
  started.push({ stop: () => child.kill("SIGKILL") });
  await child.ready("Ctrl-C ends");
  return child;
}

/** The lines about deliveries. */
const linesOf = (child: AppProcess): string[] =>
  child
    .output()
    .split("\n")
    .filter((line) => line.includes("msg_"));

const trigger = async (event: string): Promise<{ deliveryId: string; person: { id: string } }> =>
  JSON.parse((await runCli({}, "trigger", event, "--json", "--sandbox", service.sandboxUrl)).out);

async function listInboxIds(): Promise<string[]> {
  const attempts = await (await fetch(`${service.sandboxUrl}/inbox/sandbox`)).json();
  return (attempts as { headers: Record<string, string> }[]).map(({ headers }) => headers["webhook-id"] ?? "");
}

describe("cardkeep listen", () => {
  test("and trigger refuse the settings of production", async () => {
    for (const words of [
      ["listen", "--forward-to", "http://127.0.0.1:1/"],
      ["trigger", "user.created"],
    ]) {
      const before = (await listInboxIds()).length;
      const answer = await spawnCli({ NODE_ENV: "production" }, ...words, "--sandbox", service.sandboxUrl);
      expect(answer).toMatchObject({ code: 1, out: "", err: expect.stringContaining("production has no sandbox") });
      expect(await listInboxIds()).toHaveLength(before);
    }
  });

  test("forwards each delivery after its start unchanged, with a line each, and Ctrl-C ends it with 0", async () => {
    await trigger("user.created");
    const { url, received, kinds } = startReceiver();
    const child = await listen(url);
    const { deliveryId, person } = await trigger("kyc.status.changed");
    await until(() => kinds().includes("kyc.status.changed"));
    const { publicKeys } = service.runtime.services.webhookKeys;
    expect(received.length).toBeGreaterThan(0);
    for (const { headers, body } of received) {
      expect(await verifyDelivery({ headers, body, publicKeys })).toBeObject();
      expect(body).toContain(person.id);
    }
    expect(received[0]?.url).toEndWith("/hooks?a=1");
    const findLine = () => linesOf(child).find((line) => line.includes(deliveryId));
    await until(() => findLine() !== undefined);
    expect(findLine()).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z  kyc.status.changed +${deliveryId}  200$`));
    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
  });

  test("loses and doubles nothing while the receiver is down for a moment, and keeps the order", async () => {
    const [port = 0] = await findFreePorts(1);
    await untilDelivered(service.runtime);
    const before = (await listInboxIds()).length;
    const child = await listen(`http://127.0.0.1:${port}/`);
    await trigger("user.created");
    await child.ready("does not answer");
    // The first is tried again for some seconds, and a whole journey may take longer.
    const triggered = trigger("kyc.status.changed");
    const receiver = startReceiver(port);
    const { person } = await triggered;
    await untilDelivered(service.runtime);
    const arrived = (await listInboxIds()).slice(before);
    await until(() => receiver.received.length >= arrived.length);
    const ids = receiver.received.map(({ headers }) => headers.get("webhook-id") ?? "");
    expect(ids).toEqual(arrived);
    expect(receiver.kinds()).toContain("kyc.status.changed");
    expect(new Set(ids).size).toBe(ids.length);
    expect(receiver.received.filter(({ body }) => body.includes(person.id)).length).toBeGreaterThan(2);
  });

  test("forwards only the kinds that were named, as one JSON document a line where asked", async () => {
    const { url, kinds } = startReceiver();
    const child = await listen(url, "--events", "kyc.status.changed,safe.created", "--json");
    await trigger("kyc.status.changed");
    await until(() => kinds().length > 0);
    await until(() => linesOf(child).length === 1);
    expect(kinds()).toEqual(["kyc.status.changed"]);
    expect(JSON.parse(linesOf(child)[0] ?? "")).toMatchObject({ eventType: "kyc.status.changed", status: 200 });
  });

  test("prints a receiver's refusal, and goes on", async () => {
    const { url } = startReceiver(0, [500, 302]);
    const child = await listen(url);
    await trigger("user.created");
    await until(() => linesOf(child).length > 2);
    const [first, second, ...others] = linesOf(child).map((line) => line.split("  ").at(-1));
    expect([first, second]).toEqual(["500", "302"]);
    expect(new Set(others)).toEqual(new Set(["200"]));
  });

  test("a command line that is wrong is refused with 2, and an absent sandbox with 1, in one line", async () => {
    const refusal = async (...words: string[]) => {
      const { code, out, err } = await runCli({}, ...words);
      expect(out).toBe("");
      expect(err.split("\n")).toHaveLength(2);
      return { code, err };
    };
    const to = ["--forward-to", "http://localhost:4000"];
    expect(await refusal("listen", ...to, "--events", "card.transaction.clared")).toEqual({
      code: 2,
      err: 'cardkeep: Invalid value "card.transaction.clared" for --events: there is no such event. Did you mean card.transaction.cleared?\n',
    });
    const { code, err } = await refusal("listen", ...to, "--events", "nonsense");
    expect({ code, names: err.includes("user.created, ") }).toEqual({ code: 2, names: true });
    for (const url of ["nowhere", "localhost:4000", "ftp://localhost/", ""]) {
      expect((await refusal("listen", "--forward-to", url)).code).toBe(2);
    }
    expect((await refusal("listen")).code).toBe(2);
    const [port] = await findFreePorts(1);
    const absent = `http://127.0.0.1:${port}`;
    expect(await refusal("listen", ...to, "--sandbox", absent)).toEqual({
      code: 1,
      err: `cardkeep: No sandbox answers at ${absent}: run \`bun start\`, or set --sandbox.\n`,
    });
    expect((await refusal("listen", ...to, "--sandbox", service.url)).code).toBe(1);
  });
});

describe("cardkeep trigger", () => {
  test("plays the journey to an event and prints what it made", async () => {
    const { code, out } = await spawnCli({}, "trigger", "virtual.card.issued", "--sandbox", service.sandboxUrl);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Event +virtual\.card\.issued\nDelivery +msg_\w+\nPerson +\S+\nWallet +0x\w{40}\nKey +0x\w{64}\n/,
    );
    expect(out).toMatch(/\nSafe +0x\w{40}\nCards +ic_\w+\nIBAN +-\n$/);
  });

  test("refuses an unknown event with the similar one, and an absent sandbox", async () => {
    const wrong = await runCli({}, "trigger", "user.craeted");
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toContain("Did you mean user.created?");
    const [port] = await findFreePorts(1);
    const absent = await runCli({}, "trigger", "user.created", "--sandbox", `http://127.0.0.1:${port}`);
    expect(absent).toMatchObject({ code: 1, out: "" });
  });
});
