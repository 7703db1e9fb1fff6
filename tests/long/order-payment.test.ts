import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tokens } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { cardCases, orderReturns, orders, paymentHashes } from "@cardkeep/db/schema/tables";
import { moveOrder } from "@cardkeep/db/queries/cards/orders";
import { checkPayment } from "@cardkeep/domain/cards/orders/payment";
import { watchPayment } from "@cardkeep/domain/cards/orders/watchPayment";
import { readSettings } from "@cardkeep/runtime/settings";
import { eq, sql } from "drizzle-orm";
import { encodeFunctionData, erc20Abi } from "viem";
import { becomeComplete } from "../support/completePerson.ts";
import { askCli } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { getApproval } from "@cardkeep/domain/operations/executors/decideApproval";
import { returnPayment } from "@cardkeep/domain/cards/orders/orderReturns";
import { openTwoPersons } from "../support/twoPersons.ts";
import { openNode } from "../support/node.ts";
import {
  answerSourceOfFunds,
  fullPrice,
  order,
  payFromNowhere,
  payFromWallet,
  sendFromWallet,
  statusOf,
  validatePhone,
} from "../support/orders.ts";
import { signInWithKey } from "../support/operatorPages.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { production } from "../support/production.ts";
import { type Service, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const confirmations = 3;

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { CONFIRMATIONS: String(confirmations) } });
});
afterAll(() => service.stop());

const node = () => openNode(service.rpcUrl).client;
// Blocks are mined when a test says so, or sends a transaction.
beforeAll(() => node().setAutomine(true));
const mine = (blocks = confirmations) => node().mine({ blocks });

const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const ok = { status: 200, body: { ok: true } };
const refused = (message: string) => ({ status: 400, body: { message } });
const noPayment = refused("Could not find payment in transaction hash.");
const wrongStatus = refused("Card Order is not in the correct status");
const used = refused("Transaction hash was already used");

const newPerson = () => becomeComplete(new Person(service));
const attach = async (person: Person, id: string, transactionHash: Hex) =>
  shortOf(await person.call("PUT", `/order/${id}/attach-transaction`, { transactionHash }));
const confirm = async (person: Person, id: string) => shortOf(await person.call("PUT", `/order/${id}/confirm-payment`));
const rowOf = async (id: string) => {
  const [row] = await service.runtime.db.select().from(orders).where(eq(orders.id, id));
  if (!row) throw new Error(`no order ${id}`);
  return row;
};

/** A person with a pending order that names this transaction. */
async function orderWith(pay: (person: Person) => Promise<Hex>): Promise<{ person: Person; id: string; hash: Hex }> {
  const person = await newPerson();
  const id = await order(person);
  const hash = await pay(person);
  expect(await attach(person, id, hash)).toEqual(ok);
  return { person, id, hash };
}

describe("an order is paid by", () => {
  test("one transfer of the due amount, in EURe to the treasury, from the user's wallet", async () => {
    const { person, id, hash } = await orderWith((payer) => payFromWallet(service, payer.account));
    await mine();
    expect(await confirm(person, id)).toEqual(ok);
    expect((await person.call("GET", `/order/${id}`)).body).toMatchObject({ status: "READY", transactionHash: hash });
    expect(await confirm(person, id)).toEqual(wrongStatus);
  });

  test("no mint in production: it is the operator's own money that comes to the treasury by bank", async () => {
    const { id, hash } = await orderWith(() => payFromNowhere(service, { amount: fullPrice * 2n }));
    await mine();
    const ctx = createWorkerContext(service.runtime);
    const inProduction = { ...ctx, policy: { ...ctx.policy, mintedPayments: false } };
    expect(await checkPayment(inProduction, hash, await rowOf(id))).toMatchObject({ amount: 0n, payer: null });
    expect(await checkPayment(ctx, hash, await rowOf(id))).toMatchObject({ amount: fullPrice * 2n });
    expect(readSettings(production).policy.mintedPayments).toBe(false);
  });

  test("a sender who is not a user, with more than is due", async () => {
    const { person, id } = await orderWith(() => payFromNowhere(service, { amount: fullPrice * 2n }));
    await mine();
    expect(await confirm(person, id)).toEqual(ok);
    expect(await statusOf(person, id)).toBe("READY");
  });

  test("the amount after a coupon, and not a base unit less", async () => {
    const person = await newPerson();
    await person.sandbox("POST", "/coupons", { code: "THIRD", percent: 33 });
    const id = await order(person);
    await person.call("POST", `/order/${id}/attach-coupon`, { couponCode: "third" });
    // 33 % of 30.23 are 9.9759, rounded to 9.98; 20.25 are left.
    expect((await person.call("GET", `/order/${id}`)).body.totalDiscountEUR).toBe(9.98);
    const due = 2_025n * 10n ** 16n;
    await attach(person, id, await payFromNowhere(service, { amount: due - 1n }));
    await mine();
    expect(await confirm(person, id)).toEqual(noPayment);
    await attach(person, id, await payFromNowhere(service, { amount: due }));
    await mine();
    expect(await confirm(person, id)).toEqual(ok);
    expect(await statusOf(person, id)).toBe("READY");
  });

  test("one confirmation of twenty in parallel", async () => {
    const { person, id } = await orderWith(() => payFromNowhere(service));
    await mine();
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(person, id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200)).toEqual(Array.from({ length: 19 }, () => wrongStatus));
    expect(await statusOf(person, id)).toBe("READY");
  });
});

describe("an order is never ready by", () => {
  const elsewhere = "0x000000000000000000000000000000000000bEEF";
  const cases: [string, (person: Person) => Promise<Hex>][] = [
    ["an unknown transaction", async () => `0x${"ab".repeat(32)}`],
    ["the wrong token", () => payFromNowhere(service, { token: "GBPe" })],
    ["a token of other decimals", () => payFromNowhere(service, { token: "USDCe", amount: 30_230_000n })],
    ["the wrong recipient", (person) => payFromWallet(service, person.account, { to: elsewhere })],
    ["the chain's own coin", () => payInCoin()],
    ["one base unit less", (person) => payFromWallet(service, person.account, { amount: fullPrice - 1n })],
  ];

  test("transactions without a transfer of the due amount and token to the treasury, one after the other", async () => {
    const person = await newPerson();
    const id = await order(person);
    for (const [what, pay] of filled(cases)) {
      expect(await attach(person, id, await pay(person))).toEqual(ok);
      await mine();
      expect([what, await confirm(person, id)]).toEqual([what, noPayment]);
    }
    for (let tries = 0; tries < 2; tries++) expect(await confirm(person, id)).toEqual(noPayment);
    // Long enough for the worker to have checked it.
    await untilChecked(id);
    expect(await statusOf(person, id)).toBe("PENDINGTRANSACTION");
  });

  async function payInCoin(): Promise<Hex> {
    const { treasuryAddress } = service.runtime.settings.policy;
    return openNode(service.rpcUrl).send({ to: treasuryAddress, data: "0x", value: fullPrice });
  }

  test("a transfer from before the order, of no known sender", async () => {
    const hash = await payFromNowhere(service);
    const own = await newPerson();
    const wallets = await payFromWallet(service, own.account);
    await mine();
    await own.sandbox("POST", "/chain/advance", { seconds: 3_600 });
    const person = await newPerson();
    await own.signIn();
    for (const [payer, paid] of [
      [person, hash],
      [own, wallets],
    ] as const) {
      const id = await order(payer);
      expect(await attach(payer, id, paid)).toEqual(ok);
      expect(await confirm(payer, id)).toEqual(noPayment);
      expect(await statusOf(payer, id)).toBe("PENDINGTRANSACTION");
    }
  });

  test("a transfer of the service's own accounts", async () => {
    const { settlementAddress, treasuryAddress, relayerAddresses } = service.runtime.services.policy;
    const { sendAs } = openNode(service.rpcUrl);
    const pay = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [treasuryAddress, fullPrice] });
    for (const from of [settlementAddress, ...relayerAddresses.slice(0, 1)]) {
      await payFromNowhere(service, { to: from });
      const { person, id } = await orderWith(() => sendAs(from, { to: tokens.EURe.address, data: pay }));
      await mine();
      expect(await confirm(person, id)).toEqual(noPayment);
      expect(await statusOf(person, id)).toBe("PENDINGTRANSACTION");
    }
  });

  test("two halves, in two transactions", async () => {
    const { person, id } = await orderWith((payer) =>
      payFromWallet(service, payer.account, { amount: fullPrice / 2n, holds: fullPrice }),
    );
    const second = await payFromWallet(service, person.account, { amount: fullPrice / 2n, holds: 0n });
    await mine();
    expect(await confirm(person, id)).toEqual(noPayment);
    await attach(person, id, second);
    expect(await confirm(person, id)).toEqual(noPayment);
  });

  test("a transaction that reverted: the order has failed, and another may be made", async () => {
    const { person, id } = await orderWith((payer) => payFromWallet(service, payer.account, { holds: 0n }));
    expect(await confirm(person, id)).toEqual(noPayment);
    expect(await statusOf(person, id)).toBe("PENDINGTRANSACTION");
    await mine();
    expect(await confirm(person, id)).toEqual(noPayment);
    expect(await statusOf(person, id)).toBe("FAILEDTRANSACTION");
    expect(await confirm(person, id)).toEqual(wrongStatus);
    await order(person);
  });

  test("a transaction that was used before", async () => {
    const { person, id, hash } = await orderWith(() => payFromNowhere(service));
    await mine();
    const bob = await newPerson();
    const bobs = await order(bob);
    expect(await attach(bob, bobs, hash)).toEqual(used);
    expect(await confirm(person, id)).toEqual(ok);
    expect(await attach(bob, bobs, hash)).toEqual(used);
    expect(await attach(bob, bobs, hash.toUpperCase().replace("X", "x") as Hex)).toEqual(used);
    expect(await confirm(bob, bobs)).toEqual(refused("No transaction hash found for this order."));
    expect(await statusOf(bob, bobs)).toBe("PENDINGTRANSACTION");
  });

  test("a payment of a cancelled order that had been paid", async () => {
    const person = await new Person(service).becomeApproved();
    const id = await order(person);
    const hash = await payFromNowhere(service);
    await attach(person, id, hash);
    await mine();
    expect(await confirm(person, id)).toEqual(ok);
    expect(await statusOf(person, id)).toBe("CONFIRMATIONREQUIRED");
    expect(shortOf(await person.call("POST", `/order/${id}/cancel`))).toEqual(ok);
    expect(await attach(person, await order(person), hash)).toEqual(used);
  });

  test("another user's payment; the payer gets it back from the user who named it first", async () => {
    const alice = await newPerson();
    const hash = await payFromWallet(service, alice.account);
    await mine();
    const mallory = await newPerson();
    const stolen = await order(mallory);
    expect(await attach(mallory, stolen, hash)).toEqual(ok);
    expect(await confirm(mallory, stolen)).toEqual(noPayment);
    const id = await order(alice);
    expect(await attach(alice, id, hash)).toEqual(ok);
    expect(await confirm(alice, id)).toEqual(ok);
    expect(await confirm(mallory, stolen)).toEqual(noPayment);
    expect([await statusOf(alice, id), await statusOf(mallory, stolen)]).toEqual(["READY", "PENDINGTRANSACTION"]);
  });

  test("a transaction in the mempool", async () => {
    const person = await newPerson();
    const id = await order(person);
    await payFromNowhere(service, { to: person.account.address });
    await node().setAutomine(false);
    try {
      const hash = await sendFromWallet(service, person.account, { holds: 0n });
      expect(await attach(person, id, hash)).toEqual(ok);
      expect(await service.runtime.chain.hasTransaction(hash)).toBe(true);
      expect(await confirm(person, id)).toEqual(noPayment);
      expect(await statusOf(person, id)).toBe("PENDINGTRANSACTION");
    } finally {
      await node().setAutomine(true);
      await mine();
    }
  });

  test("a transaction that lacks confirmations; the order moves later without a request, with one event", async () => {
    const { person, id } = await orderWith((payer) => payFromWallet(service, payer.account));
    for (let blocks = 1; blocks < confirmations; blocks++) {
      expect(await confirm(person, id)).toEqual(noPayment);
      expect(await statusOf(person, id)).toBe("PENDINGTRANSACTION");
      await mine(1);
    }
    await until(async () => (await statusOf(person, id)) === "READY");
    expect(await confirm(person, id)).toEqual(ok);
    expect(await confirm(person, id)).toEqual(wrongStatus);
  });
});

/** Waits until the worker has checked the transaction of an order. */
async function untilChecked(id: string): Promise<void> {
  const scheduled = async () => {
    const [job] = await service.runtime.db.execute<{ at: string }>(
      sql`select run_at::text as at from graphile_worker._private_jobs where key = ${`order.payment:${id}`}`,
    );
    return job?.at;
  };
  await new Person(service).sandbox("POST", "/chain/advance", { seconds: 60 });
  const before = await scheduled();
  await until(async () => {
    const now = await scheduled();
    return now !== undefined && now !== before;
  });
}

describe("the worker", () => {
  const casesOf = async (id: string) =>
    (await service.runtime.db.select().from(cardCases).where(eq(cardCases.orderId, id))).map(
      ({ kind, status, amountCents }) => [kind, status, amountCents],
    );

  test("ends an order whose transaction reverted, without a request", async () => {
    const { person, id } = await orderWith((payer) => payFromWallet(service, payer.account, { holds: 0n }));
    await mine();
    await person.sandbox("POST", "/chain/advance", { seconds: 60 });
    await until(async () => (await statusOf(person, id)) === "FAILEDTRANSACTION");
    expect(await confirm(person, id)).toEqual(wrongStatus);
  });

  test("leaves a paid order to its user, who may still cancel it and use the payment for another", async () => {
    const { person, id, hash } = await orderWith(() => payFromNowhere(service));
    await mine();
    await untilChecked(id);
    expect(await statusOf(person, id)).toBe("PENDINGTRANSACTION");
    expect(shortOf(await person.call("POST", `/order/${id}/cancel`))).toEqual(ok);
    const next = await order(person);
    expect(await attach(person, next, hash)).toEqual(ok);
    expect(await confirm(person, next)).toEqual(ok);
  });

  test("keeps what arrives for a cancelled or a free order as a case, until it pays another order or goes back", async () => {
    const { person, id, hash } = await orderWith((payer) => payFromWallet(service, payer.account));
    expect(shortOf(await person.call("POST", `/order/${id}/cancel`))).toEqual(ok);
    await mine();
    await until(async () => (await casesOf(id)).length > 0);
    expect(await casesOf(id)).toEqual([["order_return", "OPEN", 3_023n]]);
    const next = await order(person);
    expect(await attach(person, next, hash)).toEqual(ok);
    // It waits to pay the next order, so it cannot go back.
    const giveBack = (orderId: string) => askCli(service, "orders", "return", orderId, "--reason", "unused");
    await expect(giveBack(id)).rejects.toThrow("Nothing of the order's payment is left to return");
    expect(await confirm(person, next)).toEqual(ok);
    expect(await casesOf(id)).toEqual([["order_return", "CLOSED", 3_023n]]);
    expect(await rowOf(id)).toMatchObject({ paidAmount: null, status: "CANCELLED" });

    const bea = await newPerson();
    const free = await order(bea);
    const paid = await payFromWallet(service, bea.account);
    expect(await attach(bea, free, paid)).toEqual(ok);
    await bea.call("POST", `/order/${free}/attach-coupon`, { couponCode: "FREECARD" });
    expect(await confirm(bea, free)).toEqual(ok);
    await mine();
    await until(async () => (await casesOf(free)).length > 0);
    expect(await casesOf(free)).toEqual([["order_return", "OPEN", 3_023n]]);
    expect(await statusOf(bea, free)).toBe("READY");
    expect(await giveBack(free)).toMatchObject({
      returns: [{ amount: String(fullPrice), recipient: bea.account.address }],
    });
    await expect(giveBack(free)).rejects.toThrow("Nothing of the order's payment is left to return");
    const holdings = () => service.runtime.chain.getTokenBalance(tokens.EURe.address, bea.account.address);
    await until(async () => (await holdings()) === fullPrice);
  });

  test("keeps what arrives for a free order as a case, also where its card is made while the chain is asked", async () => {
    const { db, chain } = service.runtime;
    const { person, id } = await orderWith((payer) => payFromWallet(service, payer.account));
    await person.call("POST", `/order/${id}/attach-coupon`, { couponCode: "FREECARD" });
    expect(await confirm(person, id)).toEqual(ok);
    const ctx = createWorkerContext(service.runtime);
    const key = `order.payment:${id}`;
    const findReceipt: typeof chain.findReceipt = async (hash) => {
      await ctx.commit(({ tx, now }) => moveOrder(tx, id, "CARDCREATED", { updatedAt: now }));
      // The service's own worker found it not final, and looks no more.
      await until(async () => {
        await db.execute(sql`delete from graphile_worker._private_jobs where key = ${key} and locked_at is null`);
        return (await db.execute(sql`select from graphile_worker._private_jobs where key = ${key}`)).length === 0;
      });
      await mine();
      return chain.findReceipt(hash);
    };
    await watchPayment({ ...ctx, chain: { ...chain, findReceipt } }, { orderId: id });
    expect([await statusOf(person, id), await casesOf(id)]).toEqual([
      "CARDCREATED",
      [["order_return", "OPEN", 3_023n]],
    ]);
  });

  test("takes a wallet's payment for the next order, also a day after the first one was cancelled", async () => {
    const { person, id, hash } = await orderWith((payer) => payFromWallet(service, payer.account));
    await mine();
    await untilChecked(id);
    expect(shortOf(await person.call("POST", `/order/${id}/cancel`))).toEqual(ok);
    await person.sandbox("POST", "/chain/advance", { seconds: 86_400 });
    await person.signIn();
    const next = await order(person);
    expect(await attach(person, next, hash)).toEqual(ok);
    expect(await confirm(person, next)).toEqual(ok);
  });

  test("holds a transaction that never arrives for a day", async () => {
    const { id } = await orderWith(async () => `0x${"cd".repeat(32)}`);
    await service.runtime.db
      .update(paymentHashes)
      .set({ claimedAt: new Date(Date.now() - 25 * 3_600_000) })
      .where(eq(paymentHashes.orderId, id));
    await until(async () => {
      const claims = await service.runtime.db.select().from(paymentHashes).where(eq(paymentHashes.orderId, id));
      return claims.length === 0;
    });
    expect((await rowOf(id)).status).toBe("PENDINGTRANSACTION");
  });
});

describe("a paid order of a user with missing data", () => {
  const paid = async (person: Person, fields: Record<string, unknown> = {}) => {
    const id = await order(person, fields);
    await attach(person, id, await payFromNowhere(service));
    await mine();
    expect(await confirm(person, id)).toEqual(ok);
    expect(await statusOf(person, id)).toBe("CONFIRMATIONREQUIRED");
    expect(await confirm(person, id)).toEqual(wrongStatus);
    return id;
  };

  test("waits for phone and source of funds, in either order, and is then ready", async () => {
    const steps = [validatePhone, answerSourceOfFunds];
    for (const [first, second] of [steps, steps.toReversed()]) {
      const person = await new Person(service).becomeApproved();
      const id = await paid(person);
      await first?.(person);
      expect(await statusOf(person, id)).toBe("CONFIRMATIONREQUIRED");
      await second?.(person);
      expect(await statusOf(person, id)).toBe("READY");
    }
  });

  test("waits for the address that the provider verifies, unless the card is virtual", async () => {
    const applicant = { address1: null, city: null, postalCode: null };
    const withoutAddress = async () => {
      const person = await (await new Person(service).signIn()).signUp();
      await person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome: "approved", applicant });
      await validatePhone(person);
      await answerSourceOfFunds(person);
      return person;
    };
    const person = await withoutAddress();
    const id = await paid(person);
    await person.sandbox("POST", `/kyc/${person.userId}/review`, {
      outcome: "approved",
      applicant: { address1: "Am Hof 1", city: "Bonn", postalCode: "53113" },
    });
    await until(async () => (await statusOf(person, id)) === "READY");
    expect((await person.call("GET", `/order/${id}`)).body).toMatchObject({ city: "Bonn" });

    const other = await withoutAddress();
    const virtual = await order(other, { virtual: true });
    await attach(other, virtual, await payFromNowhere(service));
    await mine();
    expect(await confirm(other, virtual)).toEqual(ok);
    expect(await statusOf(other, virtual)).toBe("READY");
  });

  test("may be cancelled", async () => {
    const person = await new Person(service).becomeApproved();
    const id = await paid(person);
    expect(shortOf(await person.call("POST", `/order/${id}/cancel`))).toEqual(ok);
    await validatePhone(person);
    await answerSourceOfFunds(person);
    expect(await statusOf(person, id)).toBe("CANCELLED");
  });
});

describe("money beyond an order's use", () => {
  const caseOf = async (orderId: string) => {
    const [found] = await service.runtime.db.select().from(cardCases).where(eq(cardCases.orderId, orderId));
    return found;
  };
  const holdings = (person: Person) =>
    service.runtime.chain.getTokenBalance(tokens.EURe.address, person.account.address);
  const returnOf = (id: string) => askCli(service, "orders", "return", id, "--reason", "overpaid");

  test("is kept with its sender, is a case, and goes back once with one command; the rest when the order ends", async () => {
    const amount = fullPrice * 2n;
    const { person, id } = await orderWith((payer) => payFromWallet(service, payer.account, { amount }));
    await mine();
    expect(await confirm(person, id)).toEqual(ok);
    expect(await rowOf(id)).toMatchObject({ paidAmount: amount, paidBy: person.account.address, status: "READY" });
    expect(await caseOf(id)).toMatchObject({
      kind: "order_return",
      amountCents: 3_023n,
      status: "OPEN",
      currency: "EUR",
    });
    expect(await returnOf(id)).toMatchObject({
      returns: [{ amount: String(fullPrice), recipient: person.account.address }],
    });
    await expect(returnOf(id)).rejects.toThrow("Nothing of the order's payment is left to return");
    expect(await caseOf(id)).toMatchObject({ status: "CLOSED", closeReason: "overpaid" });
    await until(async () => (await holdings(person)) === fullPrice);

    await askCli(service, "orders", "cancel", id, "--reason", "test");
    expect(await caseOf(id)).toMatchObject({ amountCents: 6_046n, status: "OPEN" });
    await returnOf(id);
    await until(async () => (await holdings(person)) === amount);
    await until(async () => {
      await mine(1);
      const rows = await service.runtime.db.select().from(orderReturns).where(eq(orderReturns.orderId, id));
      return rows.length === 2 && rows.every(({ paidAt }) => paidAt !== null);
    });
  });

  test("is not returned again where a restore lost the row of its return, also where more is to be returned by then", async () => {
    const { db } = service.runtime;
    const excess = 5n * 10n ** 18n;
    const { person, id } = await orderWith((payer) =>
      payFromWallet(service, payer.account, { amount: fullPrice + excess }),
    );
    await mine();
    expect(await confirm(person, id)).toEqual(ok);
    const listReturns = () => db.select().from(orderReturns).where(eq(orderReturns.orderId, id));
    const untilPaid = (count: number) =>
      until(async () => {
        await mine(1);
        const rows = await listReturns();
        return rows.length === count && rows.every(({ paidAt }) => paidAt !== null);
      });
    await returnOf(id);
    await untilPaid(1);
    const [lost] = await listReturns();
    await db.delete(orderReturns).where(eq(orderReturns.id, lost?.id ?? ""));
    await askCli(service, "orders", "cancel", id, "--reason", "test");
    await returnOf(id);
    await untilPaid(1);
    expect((await listReturns())[0]).toMatchObject({ ordinal: 0, amount: excess, hash: lost?.hash });
    expect(await holdings(person)).toBe(excess);
    expect(await caseOf(id)).toMatchObject({ kind: "order_return", status: "OPEN" });
    expect(await returnOf(id)).toMatchObject({ returns: [{}, { amount: String(fullPrice) }] });
    await untilPaid(2);
    expect(await holdings(person)).toBe(fullPrice + excess);
  });

  test("goes back as the amount that the second person was shown: a cancel meanwhile makes it another request", async () => {
    const amount = fullPrice + 5n * 10n ** 18n;
    const { person, id } = await orderWith((payer) => payFromWallet(service, payer.account, { amount }));
    await mine();
    expect(await confirm(person, id)).toEqual(ok);
    const two = await openTwoPersons(service.runtime, ["orders.return"]);
    const ask = () => two.ask((asker) => returnPayment(asker, { orderId: id }));
    const amountOf = async (request: string) =>
      (await getApproval(service.runtime.services, { id: request })).input["amount"];
    const first = await ask();
    expect(await amountOf(first)).toBe("5 EURe");
    await askCli(service, "orders", "cancel", id, "--reason", "test");
    await expect(two.approve("grace", first)).rejects.toMatchObject({ code: "approvals.changed" });
    expect(await service.runtime.db.$count(orderReturns, eq(orderReturns.orderId, id))).toBe(0);
    const second = await ask();
    expect(await amountOf(second)).toBe("35.23 EURe");
    await two.approve("grace", second);
    await until(async () => (await holdings(person)) === amount);
  });

  test("of an order that its user cancelled goes back from its page, and a minted payment has no payer", async () => {
    const person = await new Person(service).becomeApproved();
    const id = await order(person);
    await attach(person, id, await payFromWallet(service, person.account));
    await mine();
    expect(await confirm(person, id)).toEqual(ok);
    expect(await caseOf(id)).toBeUndefined();
    expect(shortOf(await person.call("POST", `/order/${id}/cancel`))).toEqual(ok);
    expect(await caseOf(id)).toMatchObject({ kind: "order_return", amountCents: 3_023n, status: "OPEN" });
    const headers = { Cookie: await signInWithKey(service.url), Origin: service.url };
    const page = await fetch(`${service.url}/operator/orders/${id}`, { headers });
    expect(await page.text()).toContain("Return what is left over");
    const body = new URLSearchParams({ reason: "cancelled" });
    await fetch(`${service.url}/operator/orders/${id}/return`, { method: "POST", headers, body });
    await until(async () => (await holdings(person)) === fullPrice);

    const minted = await order(person);
    await attach(person, minted, await payFromNowhere(service));
    await mine();
    expect(await confirm(person, minted)).toEqual(ok);
    await person.call("POST", `/order/${minted}/cancel`);
    await expect(returnOf(minted)).rejects.toThrow("there is no payer");
  });
});
