import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildMulticall } from "@cardkeep/chain/multicall";
import { tokens } from "@cardkeep/chain/tokens";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import {
  accountViolations,
  cardDisputes,
  cardPayments,
  cardTransfers,
  events,
  relayTransactions,
} from "@cardkeep/db/schema/tables";
import { createContext } from "@cardkeep/domain/core/context";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import { getUserDetails } from "@cardkeep/domain/operations/people/getUserDetails";
import { listUsers } from "@cardkeep/domain/users/users/listUsers";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { writeOffDebt } from "@cardkeep/domain/spending/payments/writeOffDebt";
import { listActions } from "@cardkeep/domain/core/operators/listActions";
import { collectDebts } from "@cardkeep/domain/spending/payments/collectDebts";
import { carryOutTransfer } from "@cardkeep/domain/spending/payments/carryOutTransfer";
import { failSpend } from "@cardkeep/domain/spending/payments/endTransfer";
import { settleLateSpends } from "@cardkeep/domain/spending/payments/settleLateSpends";
import { settleThread } from "@cardkeep/domain/spending/payments/settleThread";
import { findSafe, hasCurrency } from "@cardkeep/db/queries/accounts/safes";
import { findTransfer, nameTransferRow } from "@cardkeep/db/queries/spending/transfers";
import { listCases } from "@cardkeep/domain/spending/cases/listCases";
import { eraseUser } from "@cardkeep/domain/users/users/eraseUser";
import { settleRefusedSpend, unmovedReason } from "@cardkeep/domain/spending/payments/settleSpend";
import { follow as followChain } from "@cardkeep/domain/sync/chainSync/follow";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createWorkerKeys } from "@cardkeep/runtime/workerKeys";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq } from "drizzle-orm";
import { getAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { installFakeSingleton, openHostileOwner, runQueue } from "../support/attacks.ts";
import { changeSafe, deployAgain } from "../support/changedSafes.ts";
import { createVirtual } from "../support/cards.ts";
import { countLockWaits } from "../support/locks.ts";
import { openNode } from "../support/node.ts";
import { sumLedger } from "../support/cardBooks.ts";
import { operatorOf } from "../support/operator.ts";
import { retry, until } from "../support/poll.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { reorganise } from "../support/reorganise.ts";
import { type Service, standardLimits, startService } from "../support/service.ts";
import { openTwoPersons } from "../support/twoPersons.ts";
import { readWorkerSettings } from "../support/workerSettings.ts";
import {
  balancesOf,
  becomeCardHolder,
  type CardHolder,
  cent,
  euro,
  follow,
  give,
  setHolding,
  statusAtIssuer,
  untilSettled,
  use,
  useOnce,
} from "../support/spending.ts";

let service: Service;
let workerRuntime: Runtime;
let worker: Worker | null = null;
let proxy: RpcProxy;
/** A service whose chain reads go through the proxy. */
let away: Runtime;
beforeAll(async () => {
  service = await startService({ worker: false });
  workerRuntime = await createRuntime(readWorkerSettings(service.env), "worker");
  proxy = startRpcProxy(service.rpcUrl);
  away = await createRuntime(readSettings({ ...service.env, ...standardLimits, RPC_URL: proxy.url }), "server");
  await begin();
});
afterAll(async () => {
  await end();
  proxy.stop();
  await Promise.all([workerRuntime.close(), away.close()]);
  await service.stop();
});

async function begin(): Promise<void> {
  worker ??= await startWorker(workerRuntime);
}
async function end(): Promise<void> {
  await worker?.stop();
  worker = null;
}

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const contextOf = ({ services }: Runtime) => createContext(services, { log: quiet, requestId: "test" });
const paymentsOf = (threadId: string) =>
  service.runtime.db.select().from(cardPayments).where(eq(cardPayments.threadId, threadId));

const sumBooked = (safeId: string) => sumLedger(service, safeId);

describe("a debt", () => {
  const owedBy = async ({ person }: CardHolder): Promise<bigint> => {
    const rows = await service.runtime.db
      .select()
      .from(cardPayments)
      .where(eq(cardPayments.userId, person.userId ?? ""));
    return rows.reduce((sum, { owed }) => sum + owed, 0n);
  };
  const untilPaid = async (holder: CardHolder) => {
    await until(async () => (await owedBy(holder)) === 0n);
    await untilSettled(service);
  };
  const listRows = async (threadId: string) => {
    const [payment] = await paymentsOf(threadId);
    const isOfThread = eq(cardTransfers.paymentId, payment?.id ?? "");
    return service.runtime.db.select().from(cardTransfers).where(isOfThread).orderBy(cardTransfers.ordinal);
  };
  const safeIdOf = async (threadId: string): Promise<string> => (await paymentsOf(threadId))[0]?.safeId ?? "";
  const noticesOf = async ({ person }: CardHolder) => (await person.call("GET", "/safe/config")).body.notices;
  const keepsPerson = ({ person }: CardHolder) =>
    eraseUser(operatorOf(service.runtime), { reference: person.userId ?? "" }).then(
      () => false,
      (error: unknown) => {
        if (error instanceof CardkeepError && error.code === "users.busy")
          return error.message.includes("a card payment or its debt");
        throw error;
      },
    );

  test("arises when the chain rejects a spend, is reported, and is collected in parts before the card works again", async () => {
    const ada = await becomeCardHolder(service, 60n * euro);
    await end();
    const { threadId } = await use(ada, 5_000);
    await setHolding(service, ada.safe, 10n * euro);
    await begin();
    await untilSettled(service);
    expect(await balancesOf(ada)).toEqual({ total: 0n, spendable: 0n, pending: 0n });
    const reported = await service.runtime.db
      .select()
      .from(events)
      .where(eq(events.userId, ada.person.userId ?? ""));
    expect(reported.map(({ eventType }) => eventType)).toContain("card.transaction.failed");
    expect(await owedBy(ada)).toBe(40n * euro);
    const safeId = await safeIdOf(threadId);
    const owed = { owed: 40n * euro, advanced: -40n * euro };
    expect(await sumBooked(safeId)).toEqual({ ...owed, held: 0n, safe: -10n * euro, settlement: 10n * euro });
    // Until the Safe's money was collected the whole spend was owed, for which the issuer declines alone.
    const declined = await retry(
      () => use(ada, 1),
      ({ reason }) => reason !== "cardholder_inactive",
    );
    expect(declined).toMatchObject({ approved: false, reason: "account_owes" });
    expect(await noticesOf(ada)).toEqual([{ code: "account_owes", message: expect.stringContaining("40 EURe") }]);
    await expect(
      refundPayment(operatorOf(service.runtime, "Goodwill"), { reference: threadId, amount: "1" }),
    ).rejects.toMatchObject({ code: "payments.refund_debt" });
    const userId = ada.person.userId ?? "";
    const finding = (await diagnose(service.runtime.services)).find(({ check }) => check === "card debts");
    expect(finding?.severity).toBe("warning");
    expect(finding?.text).toMatch(/^40 EURe /);
    expect(finding?.text).toContain(userId);
    const debts = [{ tokenSymbol: "EURe", owed: 40n * euro, payments: 1, users: 1 }];
    expect(await listUsers(operatorOf(service.runtime), { owing: true, limit: 10 })).toMatchObject([{ id: userId }]);
    expect(await getUserDetails(operatorOf(service.runtime), { reference: userId })).toMatchObject({ debts });
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
      'cardkeep_card_debt_cents{token="EURe"} 4000',
    );
    await follow(ada, threadId, "clear", { amount: 5_000 });
    await give(ada.person, ada.safe, 70n * euro);
    await untilPaid(ada);
    expect(await balancesOf(ada)).toEqual({ total: 30n * euro, spendable: 30n * euro, pending: 0n });
    const paid = { owed: 0n, advanced: 0n, held: 0n, safe: -50n * euro, settlement: 50n * euro };
    expect(await sumBooked(safeId)).toEqual(paid);
    expect(await noticesOf(ada)).toBeUndefined();
    expect((await listRows(threadId)).map(({ status, isCollection }) => [status, isCollection])).toEqual([
      ["FAILED", false],
      ["DONE", true],
      ["DONE", true],
    ]);
    expect(await use(ada, 100)).toMatchObject({ approved: true });
  });

  test("of a capture after the authorization expired is a case of its whole amount, though no more than that was approved", async () => {
    const ada = await becomeCardHolder(service, 30n * euro);
    const { threadId } = await use(ada, 3_000);
    await untilSettled(service);
    await follow(ada, threadId, "expire");
    await until(async () => (await balancesOf(ada)).total === 30n * euro);
    await setHolding(service, ada.safe, 0n);
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 5 });
    await follow(ada, threadId, "clear", { amount: 3_000 });
    await until(async () => (await owedBy(ada)) === 30n * euro);
    const [payment] = await paymentsOf(threadId);
    expect(payment?.excessCents).toBe(0n);
    const cases = await listCases(service.runtime, { payment: payment?.id ?? "", limit: 10 });
    const unpaid = cases.find(({ kind }) => kind === "unpaid_capture");
    expect(unpaid?.amountCents).toBe(3_000n);
    expect(unpaid?.note).toContain("after the authorization expired at");
    await give(ada.person, ada.safe, 31n * euro);
    await untilPaid(ada);
  });

  test("of a capture far above its authorization is a case and no dispute, blocks at the issuer, and is collected after a deposit", async () => {
    const ada = await becomeCardHolder(service, 130n * euro);
    const { threadId } = await use(ada, 100);
    await untilSettled(service);
    const transfer = { tokenAddress: tokens.EURe.address, to: `0x${"be".repeat(20)}`, amount: String(129n * euro) };
    const { body } = await ada.person.call("POST", "/accounts/withdraw", await ada.person.signWithdrawal(transfer));
    await until(async () => (await ada.person.findDelay(body.data.id))?.status === "WAITING");
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 181 });
    await until(async () => (await ada.person.findDelay(body.data.id))?.status === "EXECUTED");
    await follow(ada, threadId, "clear", { amount: 12_000 });
    await until(async () => (await owedBy(ada)) === 119n * euro);
    await until(async () => (await statusAtIssuer(ada)) === "inactive");
    const declined = await useOnce(ada, 1);
    expect(declined).toMatchObject({ approved: false, reason: "cardholder_inactive" });
    await until(async () => (await paymentsOf(declined.threadId))[0]?.declineReason === "account_owes");
    const [payment] = await paymentsOf(threadId);
    expect(payment?.excessCents).toBe(11_900n);
    const cases = await listCases(service.runtime, { payment: payment?.id ?? "", limit: 10 });
    const amounts = new Map(cases.map(({ kind, amountCents }) => [kind, amountCents]));
    expect([amounts.get("over_capture"), amounts.get("unpaid_capture")]).toEqual([11_900n, 11_900n]);
    await untilSettled(service);
    expect(await service.runtime.db.select().from(cardDisputes)).toEqual([]);
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 86_400 });
    await give(ada.person, ada.safe, 200n * euro);
    await untilPaid(ada);
    expect(await balancesOf(ada)).toMatchObject({ total: 81n * euro, pending: 0n });
    await until(async () => (await statusAtIssuer(ada)) === "active");
    expect(await use(ada, 100)).toMatchObject({ approved: true });
    // The payment's one dispute is still the person's own.
    const report = { disputeReason: "unrecognized_transaction_report_fraudulent" };
    expect((await ada.person.call("POST", `/transactions/${threadId}/dispute`, report)).status).toBe(202);
  });

  test("is set off against a refund of another payment, which then stays with the settlement account", async () => {
    const ada = await becomeCardHolder(service, 70n * euro);
    const { threadId: other } = await use(ada, 2_000);
    await untilSettled(service);
    await follow(ada, other, "clear", { amount: 2_000 });
    await untilSettled(service);
    await end();
    const { threadId } = await use(ada, 5_000);
    await setHolding(service, ada.safe, 0n);
    await begin();
    await untilSettled(service);
    expect(await owedBy(ada)).toBe(50n * euro);
    await follow(ada, other, "refund", { amount: 2_000 });
    await until(async () => (await owedBy(ada)) === 30n * euro);
    await untilSettled(service);
    expect(await listRows(other)).toHaveLength(1);
    const safeId = await safeIdOf(threadId);
    const owed = { owed: 30n * euro, advanced: -30n * euro };
    expect(await sumBooked(safeId)).toEqual({ ...owed, held: 0n, safe: -20n * euro, settlement: 20n * euro });
    await follow(ada, threadId, "clear", { amount: 5_000 });
    await give(ada.person, ada.safe, 31n * euro);
    await untilPaid(ada);
    expect(await balancesOf(ada)).toMatchObject({ total: euro });
    // A refund of this payment returns both the collected and the set-off amount.
    await follow(ada, threadId, "refund", { amount: 5_000 });
    await until(async () => (await balancesOf(ada)).total === 51n * euro);
    await untilSettled(service);
    expect(await sumBooked(safeId)).toEqual({ owed: 0n, advanced: 0n, held: 0n, safe: 0n, settlement: 0n });
  });

  test("is given up by two persons: cards work again, nothing more is collected, and a refund pays only what was paid", async () => {
    const ada = await becomeCardHolder(service, 50n * euro);
    await end();
    const { threadId } = await use(ada, 5_000);
    await setHolding(service, ada.safe, 30n * euro);
    await begin();
    await untilSettled(service);
    // The worker collects what the Safe holds.
    await until(async () => (await owedBy(ada)) === 20n * euro);
    await untilSettled(service);
    await follow(ada, threadId, "clear", { amount: 5_000 });
    const two = await openTwoPersons(service.runtime, ["debts.write-off"]);
    const ask = (amount: string) => two.ask((asker) => writeOffDebt(asker, { reference: threadId, amount }));
    const whole = await ask("20");
    await expect(two.approve("ada", whole)).rejects.toMatchObject({ code: "approvals.own" });
    await expect(two.approve("grace", await ask("20.01"))).rejects.toMatchObject({ code: "debts.amount" });
    await expect(
      writeOffDebt(operatorOf(service.runtime, null), { reference: threadId, amount: "20" }),
    ).rejects.toMatchObject({ code: "operators.reason_required" });
    expect(await owedBy(ada)).toBe(20n * euro);
    await two.approve("grace", whole);
    expect(await owedBy(ada)).toBe(0n);
    const safeId = await safeIdOf(threadId);
    const paid = { held: 0n, safe: -30n * euro, settlement: 30n * euro };
    const loss = { owed: 0n, advanced: -20n * euro, writtenOff: 20n * euro };
    expect(await sumBooked(safeId)).toEqual({ ...paid, ...loss });
    await expect(two.approve("grace", await ask("1"))).rejects.toMatchObject({ code: "debts.none" });
    expect(await noticesOf(ada)).toBeUndefined();
    await give(ada.person, ada.safe, 40n * euro);
    await untilSettled(service);
    expect(await balancesOf(ada)).toEqual({ total: 40n * euro, spendable: 40n * euro, pending: 0n });
    expect(await use(ada, 100)).toMatchObject({ approved: true });
    await untilSettled(service);
    const lost = async () => (await sumBooked(safeId))["writtenOff"];
    await follow(ada, threadId, "refund", { amount: 1_500 });
    await until(async () => (await lost()) === 5n * euro);
    await untilSettled(service);
    expect(await balancesOf(ada)).toMatchObject({ total: 39n * euro });
    await follow(ada, threadId, "refund", { amount: 3_500 });
    await until(async () => (await balancesOf(ada)).total === 69n * euro);
    await untilSettled(service);
    expect(await lost()).toBe(0n);
    expect((await sumBooked(safeId))["advanced"]).toBe(0n);
    const [action] = await listActions(service.runtime.services, { verb: "debts.write-off", limit: 1 });
    expect(action).toMatchObject({ reason: "ada looked at it" });
  });

  test("that is collected and given up at once is either of them, and never both", async () => {
    const ada = await becomeCardHolder(service, 20n * euro);
    await end();
    const { threadId } = await use(ada, 2_000);
    await setHolding(service, ada.safe, 0n);
    await begin();
    await untilSettled(service);
    await end();
    await setHolding(service, ada.safe, 30n * euro);
    const asked = { reference: threadId, amount: "20" };
    const keys = createWorkerKeys(readSettings(service.env), () => {});
    const ctx = { ...contextOf(workerRuntime), ...keys, stopping: new AbortController().signal };
    const [collected, given] = await Promise.allSettled([
      collectDebts(ctx, { userId: ada.person.userId ?? "" }),
      writeOffDebt(operatorOf(service.runtime, "The token is gone"), asked),
    ]);
    expect(collected.status).toBe("fulfilled");
    await begin();
    await untilSettled(service);
    expect(await owedBy(ada)).toBe(0n);
    const lost = given.status === "fulfilled" ? 20n * euro : 0n;
    expect((await sumBooked(await safeIdOf(threadId)))["writtenOff"] ?? 0n).toBe(lost);
    expect(await balancesOf(ada)).toMatchObject({ total: 10n * euro + lost, pending: 0n });
    await expect(writeOffDebt(operatorOf(service.runtime, "Again"), asked)).rejects.toMatchObject({
      code: "debts.none",
    });
  });

  /** Resets the Safe, after a change that ends its service. */
  const resetSafe = async (holder: CardHolder): Promise<void> => {
    await changeSafe(service, holder);
    expect(await holder.person.call("DELETE", "/safe/reset")).toMatchObject({ status: 200 });
  };

  test("stays after the card is voided and the Safe reset, and is collected from the new Safe", async () => {
    const ada = await becomeCardHolder(service, 20n * euro);
    await end();
    const { threadId } = await use(ada, 2_000);
    await setHolding(service, ada.safe, 0n);
    await begin();
    await untilSettled(service);
    expect(await owedBy(ada)).toBe(20n * euro);
    expect(await keepsPerson(ada)).toBe(true);
    await follow(ada, threadId, "clear", { amount: 2_000 });
    await resetSafe(ada);
    expect(await owedBy(ada)).toBe(20n * euro);
    expect(await keepsPerson(ada)).toBe(true);
    const safe = await deployAgain(ada);
    expect(safe).not.toBe(ada.safe);
    const cardId = await createVirtual(ada.person);
    const cards: { id: string; cardToken: string }[] = (await ada.person.call("GET", "/cards")).body;
    const bob = { ...ada, safe, cardToken: cards.find(({ id }) => id === cardId)?.cardToken ?? "" };
    const refused = await use(bob, 100);
    expect(refused.approved).toBe(false);
    // The issuer declines by itself once it knows of the debt.
    expect(["account_owes", "cardholder_inactive"]).toContain(refused.reason);
    await give(ada.person, safe, 50n * euro);
    await untilPaid(ada);
    expect(await balancesOf(bob)).toMatchObject({ total: 30n * euro });
    expect(await use(bob, 100)).toMatchObject({ approved: true });
    // The refund is returned to the Safe that paid.
    await untilSettled(service);
    await follow(bob, threadId, "refund", { amount: 500 });
    await untilSettled(service);
    expect(await balancesOf(bob)).toMatchObject({ total: 34n * euro });
  });

  test("whose collection from the new Safe fails while its merchant refunds a part returns nothing that was not paid", async () => {
    const ada = await becomeCardHolder(service, 20n * euro);
    await end();
    const { threadId } = await use(ada, 2_000);
    await setHolding(service, ada.safe, 0n);
    await begin();
    await untilSettled(service);
    await follow(ada, threadId, "clear", { amount: 2_000 });
    await resetSafe(ada);
    const safe = await deployAgain(ada);
    await untilSettled(service);
    await end();
    await setHolding(service, safe, 50n * euro);
    const keys = createWorkerKeys(readSettings(service.env), () => {});
    const ctx = { ...contextOf(workerRuntime), ...keys, stopping: new AbortController().signal };
    await collectDebts(ctx, { userId: ada.person.userId ?? "" });
    const [, collection] = await listRows(threadId);
    const payer = collection && (await findSafe(ctx.db, collection.safeId));
    if (!payer || !hasCurrency(payer)) throw new Error("nothing is collected");
    await follow(ada, threadId, "refund", { amount: 500 });
    const { number: blockNumber, hash: blockHash } = await ctx.chain.getBlock();
    const refused = { reason: "refused", hash: null, block: { blockNumber, blockHash } };
    // The refund is written behind the lock of the payment's Safe, and the failure behind that of the new one.
    const [written, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const commit: typeof ctx.commit = (write) =>
      ctx.commit(async (work) => {
        const answer = await write(work);
        written.resolve();
        await goOn.promise;
        return answer;
      });
    const settled = settleThread({ ...ctx, commit }, { threadId });
    await written.promise;
    const failed = ctx.commit((work) => failSpend(ctx, work, payer, collection, refused));
    await until(async () => (await countLockWaits(service.runtime.db)) > 0);
    goOn.resolve();
    await Promise.all([settled, failed]);
    expect((await listRows(threadId)).map(({ direction, status }) => [direction, status])).toEqual([
      ["spend", "FAILED"],
      ["spend", "FAILED"],
      ["return", "FAILED"],
    ]);
    expect(await owedBy(ada)).toBe(15n * euro);
    await begin();
  });

  test("is owed again after a reorganisation removes its collection, and is collected once in the end", async () => {
    const { client } = openNode(service.rpcUrl);
    const ada = await becomeCardHolder(service, 50n * euro);
    await end();
    const { threadId } = await use(ada, 5_000);
    await setHolding(service, ada.safe, 0n);
    await client.mine({ blocks: 1 });
    await begin();
    await untilSettled(service);
    await client.mine({ blocks: 4 });
    const before = await client.getBlockNumber({ cacheTime: 0 });
    await give(ada.person, ada.safe, 20n * euro);
    await until(async () => (await owedBy(ada)) === 30n * euro);
    await untilSettled(service);
    const safeId = await safeIdOf(threadId);
    // The deposit goes with it, however many blocks lie between them: otherwise the collection would run again. Up to three
    // blocks may come before the reorganisation.
    const depth = Number((await client.getBlockNumber({ cacheTime: 0 })) - before) + 3;
    await reorganise(service, depth);
    await client.mine({ blocks: depth + 1 });
    await until(async () => (await owedBy(ada)) === 50n * euro);
    await untilSettled(service);
    const owed = { owed: 50n * euro, advanced: -50n * euro };
    expect(await sumBooked(safeId)).toEqual({ ...owed, held: 0n, safe: 0n, settlement: 0n });
    await ada.person.sandbox("POST", "/chain/advance", { seconds: 86_400 });
    await give(ada.person, ada.safe, 60n * euro);
    await untilPaid(ada);
    expect(await balancesOf(ada)).toMatchObject({ total: 10n * euro });
    const paid = { owed: 0n, advanced: 0n };
    expect(await sumBooked(safeId)).toEqual({ ...paid, held: 0n, safe: -50n * euro, settlement: 50n * euro });
  });

  /** A payment whose spend failed after it was signed, and was collected; and what lets a stranger run that spend. */
  const failSigned = async (holder: CardHolder, cents: number) => {
    await end();
    const { threadId } = await use(holder, cents);
    const transferId = nameTransferRow((await paymentsOf(threadId))[0]?.id ?? "", 0);
    const keys = createWorkerKeys(readSettings(service.env), () => {});
    const ctx = { ...contextOf(workerRuntime), ...keys, stopping: new AbortController().signal };
    await carryOutTransfer(ctx, { transferId });
    await setHolding(service, holder.safe, 0n);
    await begin();
    await untilSettled(service);
    expect(await listRows(threadId)).toMatchObject([{ status: "FAILED", isCollection: false }]);
    await give(holder.person, holder.safe, BigInt(cents) * cent);
    await untilPaid(holder);
    const [signed] = await ctx.db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, transferId));
    if (!signed) throw new Error("nothing was signed");
    const run = () => openNode(service.rpcUrl).send({ to: signed.to, data: signed.data });
    return { threadId, ctx, signed, run };
  };

  /** Until the failed spend ran, the collection was paid, and a return gave back what came twice. */
  const untilReturned = async (threadId: string) => {
    await until(async () => (await listRows(threadId)).length === 3);
    await untilSettled(service);
  };

  test("that was paid by others stays paid once where a stranger runs the failed spend later: the money goes back", async () => {
    const ada = await becomeCardHolder(service, 50n * euro);
    const { threadId, run } = await failSigned(ada, 5_000);
    await give(ada.person, ada.safe, 60n * euro);
    await run();
    await untilReturned(threadId);
    expect((await listRows(threadId)).map(({ direction, status }) => [direction, status])).toEqual([
      ["spend", "DONE"],
      ["spend", "DONE"],
      ["return", "DONE"],
    ]);
    expect(await balancesOf(ada)).toEqual({ total: 60n * euro, spendable: 60n * euro, pending: 0n });
    const booked = { owed: 0n, advanced: 0n, held: 0n, safe: -50n * euro, settlement: 50n * euro };
    expect(await sumBooked(await safeIdOf(threadId))).toEqual(booked);
  });

  test("that was paid by others stays paid once also where the node that is asked lags behind the follower", async () => {
    const ada = await becomeCardHolder(service, 50n * euro);
    const { threadId, signed, run, ctx } = await failSigned(ada, 5_000);
    await end();
    await setHolding(service, ada.safe, 60n * euro);
    const behind = (await ctx.chain.getBlock()).number;
    await run();
    await followChain(ctx);
    const lagging = { ...ctx, chain: away.services.chain };
    for (const mood of [{ staleAt: behind }, "withoutLogs"] as const) {
      proxy.mood = mood;
      await expect(settleLateSpends(lagging, { safeId: await safeIdOf(threadId) })).rejects.toThrow("The node");
    }
    proxy.mood = { staleAt: behind };
    const transfer = await findTransfer(ctx.db, signed.subjectId);
    const safe = await findSafe(ctx.db, await safeIdOf(threadId));
    if (!transfer || !safe || !hasCurrency(safe)) throw new Error("nothing is recorded");
    const refusal = { reason: "it did not run", hash: null };
    await expect(settleRefusedSpend(lagging, safe, transfer, refusal)).rejects.toThrow("The node");
    // Another node names the head.
    proxy.intercept("eth_getBlockByNumber", (forward) => forward());
    await expect(settleRefusedSpend(lagging, safe, transfer, refusal)).rejects.toThrow("The node");
    proxy.mood = "fine";
    const later = { ...refusal, block: behind + 1_000n };
    await expect(settleRefusedSpend(lagging, safe, transfer, later)).rejects.toThrow("The node");
    await begin();
    await untilReturned(threadId);
    expect(await balancesOf(ada)).toMatchObject({ total: 60n * euro });
  });

  test("that was paid by others stays paid once also where a stranger runs the failed spend beside one under way", async () => {
    const ada = await becomeCardHolder(service, 50n * euro);
    const { threadId, signed, ctx } = await failSigned(ada, 5_000);
    await end();
    await setHolding(service, ada.safe, 60n * euro);
    const second = await use(ada, 500);
    expect(second).toMatchObject({ approved: true });
    const transferId = nameTransferRow((await paymentsOf(second.threadId))[0]?.id ?? "", 0);
    await carryOutTransfer(ctx, { transferId });
    const [underWay] = await ctx.db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, transferId));
    if (!underWay) throw new Error("nothing was signed");
    await openNode(service.rpcUrl).send(buildMulticall([underWay, signed]));
    // It is settled by the stranger's transaction before the follower reads that block.
    const [transfer, safe] = [await findTransfer(ctx.db, transferId), await findSafe(ctx.db, await safeIdOf(threadId))];
    if (!transfer || !safe || !hasCurrency(safe)) throw new Error("nothing is recorded");
    await ctx.commit(await settleRefusedSpend(ctx, safe, transfer, { reason: "it ran", hash: null }));
    await begin();
    await untilReturned(threadId);
    expect(await balancesOf(ada)).toMatchObject({ total: 55n * euro });
  });

  test("of a spend that ran without moving money costs gas at long intervals, and nothing is returned for it", async () => {
    const ada = await becomeCardHolder(service, 60n * euro);
    await end();
    const { threadId } = await use(ada, 5_000);
    const thief = privateKeyToAccount(generatePrivateKey());
    const owner = openHostileOwner(service, ada.person, getAddress(ada.safe));
    await installFakeSingleton(owner, thief.address);
    await runQueue(owner);
    await begin();
    await untilSettled(service);
    const failed = { status: "FAILED", reason: unmovedReason };
    expect(await listRows(threadId)).toMatchObject([
      { ...failed, isCollection: false },
      { ...failed, isCollection: true },
    ]);
    expect(await owedBy(ada)).toBe(50n * euro);
    const violations = await service.runtime.db
      .select()
      .from(accountViolations)
      .where(eq(accountViolations.reason, unmovedReason));
    const { length } = await listRows(threadId);
    expect(violations.map(({ status }) => status)).toEqual(Array.from({ length }, () => "EXECUTED"));
    await until(async () => (await statusAtIssuer(ada)) === "inactive");
    expect(await use(ada, 100)).toMatchObject({ approved: false, reason: "cardholder_inactive" });
    await give(ada.person, ada.safe, 60n * euro);
    await untilSettled(service);
    expect(await listRows(threadId)).toHaveLength(2);
    await follow(ada, threadId, "reverse", { amount: 5_000 });
    await untilPaid(ada);
    expect(await listRows(threadId)).toHaveLength(2);
    const booked = await sumBooked(await safeIdOf(threadId));
    expect(booked).toEqual({ owed: 0n, advanced: 0n, held: 0n, safe: 0n });
  });
});
