import { afterAll, beforeAll, expect, test } from "bun:test";
import { orderMachine, type OrderStatus } from "@cardkeep/contract/cards/orders";
import { isFinalState } from "@cardkeep/contract/core/machine";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { listUnpaid } from "@cardkeep/db/queries/cards/orderRollBacks";
import { moveOrder } from "@cardkeep/db/queries/cards/orders";
import { chainBlocks, coupons } from "@cardkeep/db/schema/tables";
import { cancelAsOperator } from "@cardkeep/domain/cards/orders/cancelOrder";
import { watchPayment } from "@cardkeep/domain/cards/orders/watchPayment";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { filled } from "../support/filled.ts";
import { isOfTable, type Move, recordMoves } from "../support/moves.ts";
import { operatorOf } from "../support/operator.ts";
import { answerSourceOfFunds, payFromNowhere, payFromWallet, validatePhone } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
let moves: () => Promise<Move[]>;
beforeAll(async () => {
  // Without a worker only the walk moves anything.
  service = await startService({ worker: false, env: { PHONE_CODES_PER_HOUR: "1000" } });
  moves = await recordMoves(service.ownerDb, "orders");
});
afterAll(() => service.stop());

const ok = { ok: true };
const pending = "Error: There is already a pending card order";
const wrongStatus = { message: "Card Order is not in the correct status" };
const noTransaction = { message: "No transaction hash found for this order." };
const noPayment = { message: "Could not find payment in transaction hash." };
const invalidCoupon = { message: "Coupon code is invalid." };

type Transaction = "paying" | "wrong token" | "reverted" | "unknown";

interface Order {
  id: string;
  status: OrderStatus;
  isFree: boolean;
  transaction: Transaction | null;
}

/** A person's actions and expected results: the table again, in other words. */
interface Model {
  person: Person;
  order: Order | null;
  hasPhone: boolean;
  hasFunds: boolean;
}

const isOpen = (order: Order | null): order is Order => order !== null && !isFinalState(orderMachine, order.status);

function becomeReady(model: Model): void {
  const isComplete = model.hasPhone && model.hasFunds;
  if (isComplete && model.order?.status === "CONFIRMATIONREQUIRED") model.order.status = "READY";
}

let unknown = 0;
const transactions: Readonly<Record<Transaction, (person: Person) => Promise<Hex>>> = {
  paying: () => payFromNowhere(service),
  "wrong token": () => payFromNowhere(service, { token: "GBPe" }),
  reverted: (person) => payFromWallet(service, person.account, { holds: 0n }),
  unknown: async () => `0x${(++unknown).toString(16).padStart(64, "0")}`,
};

async function create(model: Model): Promise<void> {
  const { body } = await model.person.call("POST", "/order/create", { personalizationSource: "KYC" });
  if (isOpen(model.order)) {
    expect(body).toBe(pending);
    return;
  }
  expect(body.status).toBe("PENDINGTRANSACTION");
  model.order = { id: body.id, status: "PENDINGTRANSACTION", isFree: false, transaction: null };
}

async function attachCoupon({ person, order }: Model, code: string): Promise<void> {
  if (!order) return;
  const { body } = await person.call("POST", `/order/${order.id}/attach-coupon`, { couponCode: code });
  const isPending = order.status === "PENDINGTRANSACTION";
  if (!isPending) expect(body).toEqual(wrongStatus);
  else if (code === "NOBODY") expect(body).toEqual(invalidCoupon);
  else expect(body).toEqual({ couponCode: code });
  if (isPending && code !== "NOBODY") order.isFree = true;
}

async function attachTransaction({ person, order }: Model, kind: Transaction): Promise<void> {
  if (!order) return;
  const transactionHash = await transactions[kind](person);
  const { body } = await person.call("PUT", `/order/${order.id}/attach-transaction`, { transactionHash });
  const isPending = order.status === "PENDINGTRANSACTION";
  expect(body).toEqual(isPending ? ok : wrongStatus);
  if (isPending) order.transaction = kind;
}

async function confirm(model: Model): Promise<void> {
  const { person, order } = model;
  if (!order) return;
  const { body } = await person.call("PUT", `/order/${order.id}/confirm-payment`);
  if (order.status !== "PENDINGTRANSACTION") {
    expect(body).toEqual(wrongStatus);
  } else if (order.isFree) {
    expect(body).toEqual(ok);
    order.status = "READY";
  } else if (order.transaction === null) {
    expect(body).toEqual(noTransaction);
  } else if (order.transaction === "paying") {
    expect(body).toEqual(ok);
    order.status = "CONFIRMATIONREQUIRED";
    becomeReady(model);
  } else {
    expect(body).toEqual(noPayment);
    if (order.transaction === "reverted") order.status = "FAILEDTRANSACTION";
  }
}

async function cancel({ person, order }: Model): Promise<void> {
  if (!order) return;
  const { body } = await person.call("POST", `/order/${order.id}/cancel`);
  const isAllowed = order.status === "PENDINGTRANSACTION" || order.status === "CONFIRMATIONREQUIRED";
  expect(body).toEqual(isAllowed ? ok : wrongStatus);
  if (isAllowed) order.status = "CANCELLED";
}

async function cancelForOperator({ order }: Model): Promise<void> {
  if (!order) return;
  const operator = operatorOf(service.runtime);
  const answer = await cancelAsOperator(operator, { orderId: order.id }).catch(({ message }) => ({ message }));
  expect(answer).toMatchObject(isOpen(order) ? { status: "CANCELLED" } : wrongStatus);
  if (isOpen(order)) order.status = "CANCELLED";
}

/** As create-card completes an order. */
async function makeCard({ order }: Model): Promise<void> {
  if (order?.status !== "READY") return;
  await service.runtime.db.transaction((tx) => moveOrder(tx, order.id, "CARDCREATED", {}));
  order.status = "CARDCREATED";
}

async function completePhone(model: Model): Promise<void> {
  await validatePhone(model.person);
  model.hasPhone = true;
  becomeReady(model);
}

async function completeFunds(model: Model): Promise<void> {
  await answerSourceOfFunds(model.person);
  model.hasFunds = true;
  becomeReady(model);
}

const actions: Readonly<Record<string, (model: Model) => Promise<void>>> = {
  create,
  "attach FREECARD": (model) => attachCoupon(model, "FREECARD"),
  "attach NOBODY": (model) => attachCoupon(model, "NOBODY"),
  "attach paying": (model) => attachTransaction(model, "paying"),
  "attach wrong token": (model) => attachTransaction(model, "wrong token"),
  "attach reverted": (model) => attachTransaction(model, "reverted"),
  "attach unknown": (model) => attachTransaction(model, "unknown"),
  confirm,
  cancel,
  "operator cancels": cancelForOperator,
  "make card": makeCard,
  "complete phone": completePhone,
  "complete funds": completeFunds,
};

test("for every order of actions, an order moves along the table and shows it", async () => {
  const action = fc.constantFrom(...Object.keys(actions));
  // Walks that only cancel test little.
  const walk = fc.array(fc.oneof({ weight: 2, arbitrary: action }, fc.constantFrom("create", "confirm")), {
    minLength: 6,
    maxLength: 16,
  });
  await fc.assert(
    fc.asyncProperty(walk, async (names) => {
      const person = await new Person(service).becomeApproved();
      const model: Model = { person, order: null, hasPhone: false, hasFunds: false };
      for (const name of filled(names)) {
        await actions[name]?.(model);
        const { body } = await person.call("GET", "/order/");
        expect(body[0]?.status).toBe(model.order?.status);
      }
    }),
    { numRuns: 20 },
  );
  const seen = await moves();
  expect(seen.length).toBeGreaterThan(20);
  expect(seen.filter((move) => !isOfTable(orderMachine, move))).toEqual([]);
  const [free] = await service.runtime.db.select().from(coupons).where(eq(coupons.code, "FREECARD"));
  expect(free?.redemptions).toBeGreaterThanOrEqual(0);
});

test("what a transaction that reverted ends rests on the block that shows it, and is looked at again once that is gone", async () => {
  const { db, chain } = service.runtime;
  const since = new Date(Date.now() - 60_000);
  const ends = {
    FAILEDTRANSACTION: (person: Person, id: string) => person.call("PUT", `/order/${id}/confirm-payment`),
    CANCELLED: async (person: Person, id: string) => {
      await person.call("POST", `/order/${id}/cancel`);
      await watchPayment(createWorkerContext(service.runtime), { orderId: id });
    },
  };
  for (const [status, end] of Object.entries(ends)) {
    const person = await new Person(service).becomeApproved();
    const { body } = await person.call("POST", "/order/create", { personalizationSource: "KYC" });
    const transactionHash = await transactions.reverted(person);
    await person.call("PUT", `/order/${body.id}/attach-transaction`, { transactionHash });
    await end(person, body.id);
    const receipt = await chain.findReceipt(transactionHash);
    const isSeen = eq(chainBlocks.blockHash, receipt?.blockHash ?? "0x");
    expect([status, await db.$count(chainBlocks, isSeen)]).toEqual([status, 1]);
    const listed = await db.transaction((tx) => listUnpaid(tx, since));
    expect(listed.find(({ id }) => id === body.id)?.status).toBe(status as OrderStatus);
  }
});
