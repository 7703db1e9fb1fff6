import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type StopName, stopNames } from "@cardkeep/db/schema/operators/stops";
import { type OperatorRole, sandboxOperator } from "@cardkeep/domain/core/actor";
import { createOperatorContext } from "@cardkeep/domain/core/context";
import { development } from "@cardkeep/runtime/development";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { setStop } from "@cardkeep/domain/operators/stops/setStop";
import { sql } from "drizzle-orm";
import { askCli, runCliOn } from "../support/cli.ts";
import { order } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, euro, follow, untilSettled, use, useOnce } from "../support/spending.ts";
import { publishEvents, readInbox, registerPartner, subscribe } from "../support/webhooks.ts";

const reason = "The issuer asked for it";

let service: Service;
let ada: CardHolder;
beforeAll(async () => {
  service = await startService();
  ada = await becomeCardHolder(service);
  await registerPartner(ada.person, "shop");
  await subscribe(ada.person, "shop");
});
afterAll(() => service.stop());
beforeEach(() => Promise.all(stopNames.map((name) => set(name, false))));

const actAs = (roles: readonly OperatorRole[], given: string | null) =>
  createOperatorContext(service.runtime.services, {
    log: service.runtime.log,
    requestId: "stop",
    actor: { ...sandboxOperator, roles },
    reason: given,
  });
const set = (name: StopName, isStopped: boolean) => setStop(actAs(["admin"], reason), { name, isStopped });
const count = async (condition: ReturnType<typeof sql>): Promise<number> =>
  (await service.runtime.db.execute<{ n: number }>(sql`select count(*)::int as n from ${condition}`))[0]?.n ?? 0;
const signTransfer = () =>
  ada.person.signWithdrawal({
    tokenAddress: "0xcB444e90D8198415266c6a2724b7900fb12FC56E",
    to: ada.person.account.address,
    amount: String(euro),
  });
const read = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(`${service.url}${path}`, { headers })).text();

describe("a stop switch", () => {
  test("refuses sign-ups, cards and withdrawals with a code of its own, on both surfaces, until it is off", async () => {
    const { person } = ada;
    const grace = await new Person(service).signIn();
    const signed = await signTransfer();
    const requests = {
      "sign-ups": () => grace.call("POST", "/auth/signup", { authEmail: "grace@example.org" }),
      "card-orders": () => person.call("POST", "/order/create", { personalizationSource: "KYC" }),
      withdrawals: () => person.call("POST", "/accounts/withdraw", signed),
    } as const;
    for (const name of Object.keys(requests) as (keyof typeof requests)[]) {
      await set(name, true);
      const { status, body, headers } = await requests[name]();
      expect([name, status, JSON.stringify(body)]).toEqual([name, 503, expect.stringContaining("stopped")]);
      expect([name, Number(headers.get("retry-after"))]).toEqual([name, 5]);
    }
    expect(await person.call("POST", "/cards/virtual")).toMatchObject({ status: 503 });
    await expect(grace.trpc().auth.signUp.mutate({ authEmail: "grace@example.org" })).rejects.toMatchObject({
      data: { error: "auth.sign_ups_stopped", httpStatus: 503 },
    });
    await expect(person.trpc().accounts.withdraw.mutate(signed as never)).rejects.toMatchObject({
      data: { error: "accounts.withdrawals_stopped", httpStatus: 503 },
    });
    await expect(person.trpc().orders.create.mutate({ personalizationSource: "KYC" } as never)).rejects.toMatchObject({
      data: { error: "orders.stopped", httpStatus: 503 },
    });
    for (const name of stopNames) await set(name, false);
    const { status, body } = await requests.withdrawals();
    expect([status, (await requests["sign-ups"]()).status]).toEqual([200, 201]);
    await order(person);
    // What was accepted goes on while withdrawals are stopped.
    await set("withdrawals", true);
    await until(async () => (await person.findDelay(body.data.id))?.status === "WAITING");
    await person.sandbox("POST", "/chain/advance", { seconds: 181 });
    await until(async () => (await person.findDelay(body.data.id))?.status === "EXECUTED");
  });

  test("declines every card payment with a reason of its own; earlier ones are settled and answered as before", async () => {
    const before = await use(ada, 1_000);
    expect(before).toMatchObject({ approved: true });
    await set("card-payments", true);
    const during = await useOnce(ada, 500);
    expect([during.approved, ["payments_stopped", "cardholder_inactive"].includes(during.reason)]).toEqual([
      false,
      true,
    ]);
    await until(async () => (await useOnce(ada, 500)).reason === "cardholder_inactive");
    await follow(ada, before.threadId, "clear");
    const cleared = sql`card_payments where thread_id = ${before.threadId} and status = 'CLEARED'`;
    await until(async () => (await count(cleared)) === 1);
    await untilSettled(service);
    await set("card-payments", false);
    await until(async () => (await use(ada, 500)).approved);
  });

  test("waits for decisions that read it before, and no approval is committed after it", async () => {
    const { db } = service.runtime;
    const countApproved = () => count(sql`card_payments where status <> 'DECLINED'`);
    // Other files' databases on the server have the same keys.
    const countLocks = (isGranted: boolean) =>
      count(sql`pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and granted = ${isGranted} and datname = current_database()
        and (classid::bigint << 32) | objid::bigint = hashtextextended('cardkeep:stop:card-payments', 0)`);
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // The decision has read the switch when it waits for this row.
    const holding = db.transaction(async (tx) => {
      await tx.execute(sql`select from users where id = ${ada.person.userId} for update`);
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    // On a busy machine some end without a decision.
    const used = Array.from({ length: 4 }, () => useOnce(ada, 10));
    await until(async () => (await countLocks(true)) > 0, { everyMs: 5 });
    const stopping = set("card-payments", true);
    await until(async () => (await countLocks(false)) > 0, { everyMs: 5 });
    released.resolve();
    await Promise.all([holding, stopping]);
    const atStop = await countApproved();
    await Promise.all(used);
    const later = await Promise.all(Array.from({ length: 8 }, () => useOnce(ada, 10)));
    expect(later.map(({ approved }) => approved)).not.toContain(true);
    const reasons = later.map(({ reason }) => reason);
    // The issuer declines by itself once it knows that the cardholder is inactive.
    const stopped = reasons.filter((reason) => reason !== "unavailable");
    expect(stopped.length).toBeGreaterThan(0);
    expect(["payments_stopped", "cardholder_inactive"]).toEqual(expect.arrayContaining([...new Set(stopped)]));
    expect(await countApproved()).toBe(atStop);
  });

  test("holds deliveries back, which count as no attempt, and all arrive when it is off", async () => {
    await set("deliveries", true);
    const countArrived = async () =>
      (await readInbox(ada.person, "shop")).filter(({ body }) => body.includes("physical.card.pin.changed")).length;
    await publishEvents(service.runtime, ada.person.userId, 3);
    const held = sql`deliveries d join events e on e.id = d.event_id
      where event_type = 'physical.card.pin.changed' and d.status = 'PENDING' and d.attempts = 0`;
    await until(async () => (await count(held)) === 3);
    // Its job has run, and no other one waits.
    await until(async () => (await count(sql`graphile_worker.jobs where task_identifier = 'webhook.deliver'`)) === 0);
    expect(await count(held)).toBe(3);
    expect(await countArrived()).toBe(0);
    await set("deliveries", false);
    await until(async () => (await countArrived()) === 3);
  });

  test("is seen by everybody: readiness, metrics, doctor, every operator page, and the list on a terminal", async () => {
    const { out, code } = await runCliOn(service.runtime, "stops", "set", "card-payments", "on", "--reason", reason);
    expect([code, out]).toEqual([0, expect.stringMatching(/card-payments +yes .*The issuer asked for it/)]);
    const text = /^Card payments are stopped since .* by .*: The issuer asked for it/;
    const { status, parts } = JSON.parse(await read("/readyz"));
    expect([status, parts.stops]).toEqual(["degraded", { status: "degraded", reason: expect.stringMatching(text) }]);
    const metrics = await read("/metrics");
    expect(metrics).toContain(`cardkeep_stopped{part="card-payments"} 1`);
    expect(metrics).toContain(`cardkeep_stopped{part="deliveries"} 0`);
    const findings = await diagnose(service.runtime.services);
    expect(findings.find(({ check }) => check === "stop switches")).toMatchObject({
      severity: "warning",
      text: expect.stringMatching(text),
    });
    const list = await askCli<{ name: string; stop: { reason: string } | null }[]>(service, "stops", "list");
    expect(list.flatMap(({ name, stop }) => (stop === null ? [] : [[name, stop.reason]]))).toEqual([
      ["card-payments", reason],
    ]);
  });

  test("is set on its page with a reason, which every page shows in a banner", async () => {
    const post = (path: string, form: Record<string, string>, Cookie = "") =>
      fetch(`${service.url}/operator${path}`, {
        method: "POST",
        headers: { Origin: service.url, Cookie },
        body: new URLSearchParams(form),
        redirect: "manual",
      });
    const signedIn = await post("/sign-in", { key: development.OPERATOR_API_KEY });
    const Cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
    expect((await post("/stops/sign-ups", { state: "on" }, Cookie)).status).toBe(422);
    expect((await post("/stops/all", { state: "on", reason }, Cookie)).status).toBe(404);
    expect((await post("/stops/sign-ups", { state: "maybe", reason }, Cookie)).status).toBe(422);
    expect(await read("/operator/jobs", { Cookie })).not.toContain("Sign-ups are stopped");
    const stopped = await post("/stops/sign-ups", { state: "on", reason: `<b>${reason}</b>` }, Cookie);
    expect([stopped.status, stopped.headers.get("location")]).toEqual([303, "/operator/stops?done=done"]);
    for (const path of ["", "/jobs", "/stops", "/search"])
      expect(await read(`/operator${path}`, { Cookie })).toMatch(/Sign-ups are stopped since .*&lt;b&gt;The issuer/);
    await post("/stops/sign-ups", { state: "off", reason }, Cookie);
    expect(await read("/operator", { Cookie })).not.toContain("Sign-ups are stopped");
  });

  test("needs a reason and a role, and each change is in the action log", async () => {
    const input = { name: "sign-ups", isStopped: true } as const;
    await expect(setStop(actAs(["admin"], null), input)).rejects.toMatchObject({ code: "operators.reason_required" });
    const others = actAs(["viewer", "support", "compliance", "finance"], reason);
    await expect(setStop(others, input)).rejects.toMatchObject({ code: "operators.forbidden" });
    expect(await count(sql`stop_switches`)).toBe(0);
    const { code } = await runCliOn(service.runtime, "stops", "set", "everything", "on", "--reason", reason);
    expect(code).toBe(2);
    await set("sign-ups", true);
    const [action] = await service.runtime.db.execute(sql`
      select verb, subject_id, before, after, reason from operator_actions order by sequence desc limit 1`);
    expect(action).toMatchObject({
      verb: "stops.set",
      subject_id: "sign-ups",
      before: { isStopped: false },
      after: { isStopped: true },
      reason,
    });
  });
});
