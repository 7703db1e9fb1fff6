import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectCardkeep } from "@cardkeep/testing";
import { lockTable } from "../support/locks.ts";
import { openNode } from "../support/node.ts";
import { becomeCardHolder, type CardHolder, use } from "../support/spending.ts";
import { type Service, standardLimits, startService } from "../support/service.ts";

/** Keeps every payment from being written until the caller lets it go. */
async function holdPayments({ runtime }: Service): Promise<() => Promise<void>> {
  const [isHeld, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = runtime.db.transaction(async (tx) => {
    await lockTable(tx, "card_payments", "exclusive");
    isHeld.resolve();
    await mayEnd.promise;
  });
  await isHeld.promise;
  return async () => {
    mayEnd.resolve();
    await ended;
  };
}

/** What was read of a block is known until the next one, and then no call to the node is needed. */
const mine = ({ rpcUrl }: Service) => openNode(rpcUrl).client.mine({ blocks: 1 });

const buy = async ({ person, cardToken }: CardHolder) =>
  (await person.sandbox("POST", `/issuer/cards/${cardToken}/authorizations`, { amount: 500 })).body;

describe("a decision", () => {
  let patient: Service;
  let ada: CardHolder;
  beforeAll(async () => {
    patient = await startService({ faults: true });
    ada = await becomeCardHolder(patient);
  });
  afterAll(() => patient.stop());

  test("has as long as DECISION_MS says, and the sandbox's issuer waits for it", async () => {
    const letGo = await holdPayments(patient);
    const bought = buy(ada);
    await Bun.sleep(2_500);
    await letGo();
    expect(await bought).toMatchObject({ approved: true, reason: "approved" });
  }, 30_000);

  test("waits longer for the node too, where RPC_TIMEOUT_MS lets it", async () => {
    await ada.person.sandbox("PUT", "/faults/node.slow", { ms: 1_000, match: "eth_call" });
    await mine(patient);
    expect(await buy(ada)).toMatchObject({ approved: true });
    const [slow] = (await ada.person.sandbox("DELETE", "/faults")).body;
    expect(slow.hits).toBeGreaterThan(0);
  }, 30_000);
});

describe("a decision with the standard limit", () => {
  let service: Service;
  let ada: CardHolder;
  beforeAll(async () => {
    service = await startService({ faults: true, env: standardLimits });
    ada = await becomeCardHolder(service);
    await use(ada, 100);
  });
  afterAll(() => service.stop());

  test("ends after 450 ms, and the decline's words name the setting", async () => {
    // An answer at all comes while the payments are held.
    const letGo = await holdPayments(service);
    const declined = await buy(ada).finally(letGo);
    expect(declined).toMatchObject({ approved: false, code: "unavailable" });
    expect(declined.remedy).toContain("DECISION_MS");
  }, 30_000);

  test("can be asked for again by the testing kit, and only where no decision was ready in time", async () => {
    const kit = connectCardkeep({ api: service.url, sandbox: service.sandboxUrl, chain: service.rpcUrl });
    const slow = async (options: { count?: number } = {}) => {
      await kit.faults.set("node.slow", { ms: 700, match: "eth_call", ...options });
      await mine(service);
    };
    await kit.faults.clear();
    await slow();
    const once = await kit.useCard(ada, { amount: 100 });
    expect(once).toMatchObject({ approved: false, code: "unavailable" });
    await kit.faults.clear();
    await slow({ count: 2 });
    expect((await kit.useCard(ada, { amount: 100 }, { tries: 8 })).approved).toBe(true);
    await kit.faults.clear();
    expect(await kit.useCard(ada, { amount: 99_999 }, { tries: 5 })).toMatchObject({ code: "insufficient_funds" });
    expect(await countRefused()).toBe(1);
    const abroad = { amount: 108, merchantAmount: 125, merchantCurrency: "USD" };
    expect(await kit.useCard(ada, abroad, { tries: 5 })).toMatchObject({ approved: true, amount: 108 });
  }, 60_000);

  /** A busy machine may have been late for some before. */
  const countRefused = async (): Promise<number> =>
    (await ada.person.call("GET", "/cards/transactions?limit=100")).body.results.filter(
      ({ status }: { status: string }) => status === "InsufficientFunds",
    ).length;
});
