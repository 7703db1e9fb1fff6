/** Rows of the tables that state machines govern, one factory a machine: the suite of all machines moves them. */
import { delayMachine, type DelayStatus } from "@cardkeep/contract/accounts/delays";
import { safeMachine, type SafeStatus } from "@cardkeep/contract/accounts/safes";
import { cardMachine, type CardStatus } from "@cardkeep/contract/cards/cards";
import { orderMachine, type OrderStatus } from "@cardkeep/contract/cards/orders";
import type { Machine } from "@cardkeep/contract/core/machine";
import { nativeToken } from "@cardkeep/contract/core/primitives";
import { ibanMachine, type IbanStatus } from "@cardkeep/contract/users/ibans";
import type { Db } from "@cardkeep/db/client";
import { insertDelay, moveDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { insertSafe, moveSafe } from "@cardkeep/db/queries/accounts/safes";
import { insertCard, moveCard } from "@cardkeep/db/queries/cards/cards";
import { insertOrder, moveOrder } from "@cardkeep/db/queries/cards/orders";
import { moveIban } from "@cardkeep/db/queries/users/ibans";
import { cards, delayTransactions, ibans, orders, safes, users } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";

type Mover = "operator" | "anyone";

/** The rows of one machine. What a state's checks need is written with it, so that only the machine can refuse. */
export interface MachineRows<S extends string = string> {
  machine: Machine<S>;
  column: string;
  /** Whether a trigger refuses other moves, also of a person at the database's own prompt. */
  isGuarded: boolean;
  /** A row of a user of its own; answers its id. */
  insert(status?: S): Promise<string>;
  /** The update of the service's own query. Answers whether it moved. */
  move(id: string, to: S, by: Mover): Promise<boolean>;
  /** Past the query. @throws Error whose cause names what refused */
  force(id: string, to: S): Promise<unknown>;
}

const instant = new Date("2026-01-01T00:00:00.000Z");
const dates = { createdAt: instant, updatedAt: instant };
const addressOf = (index: number) => `0x${index.toString(16).padStart(40, "0")}` as const;
let count = 0;

/** @returns the id of a new user */
export async function insertUser(db: Db): Promise<string> {
  const id = `user-${++count}`;
  await db.insert(users).values({ id, email: `${id}@example.org`, kycStatus: "approved", createdAt: instant });
  return id;
}

async function insertSafeOf(db: Db, status: SafeStatus = safeMachine.initial): Promise<string> {
  const id = await insertUser(db);
  const address = addressOf(count);
  const parts = { delayAddress: address, rolesAddress: address, bouncerAddress: address, firstOwner: address };
  const funds = { tokenSymbol: "EURe", dailyLimit: 1n } as const;
  const terms = { cooldownSeconds: 180, expirationSeconds: 1_800, setUpBy: "operator", creator: address } as const;
  const row = { id, userId: id, saltNonce: BigInt(count), address, spender: address, requestId: "test", status };
  await db.transaction((tx) => insertSafe(tx, { ...row, ...parts, ...funds, ...terms, ...dates }));
  return id;
}

const safeRows = (db: Db): MachineRows<SafeStatus> => ({
  machine: safeMachine,
  column: "status",
  isGuarded: false,
  insert: (status) => insertSafeOf(db, status),
  move: async (id, to) => {
    const change = { setUpHash: "0x00", setUpData: "0x00", updatedAt: instant } as const;
    return (await db.transaction((tx) => moveSafe(tx, id, to, change))) !== null;
  },
  force: (id, status) => db.update(safes).set({ status }).where(eq(safes.id, id)),
});

function delayRows(db: Db): MachineRows<DelayStatus> {
  const evidence = () =>
    ({ queueNonce: BigInt(++count), readyAt: instant, executedHash: "0x00", reason: "none" }) as const;
  const call = { to: addressOf(1), value: 0n, data: "0x", operation: "CALL", enqueueData: "0x" } as const;
  return {
    machine: delayMachine,
    column: "status",
    isGuarded: false,
    insert: async (status = "QUEUING") => {
      const safeId = await insertSafeOf(db);
      const id = `delay-${++count}`;
      const signed = { delayAddress: addressOf(1), signer: addressOf(1), messageHash: `0x${count}` } as const;
      const row = { id, safeId, userId: safeId, kind: "withdrawal", enqueueTaskId: id, requestId: "test" } as const;
      await db.transaction((tx) => insertDelay(tx, { ...row, ...call, ...signed, ...dates, status }));
      return id;
    },
    move: async (id, to) => (await db.transaction((tx) => moveDelay(tx, id, to, evidence()))) !== null,
    force: (id, status) =>
      db
        .update(delayTransactions)
        .set({ ...evidence(), status })
        .where(eq(delayTransactions.id, id)),
  };
}

/** An order of a user, as `order/create` leaves it. */
export const orderOf = (userId: string, status: OrderStatus = orderMachine.initial) => ({
  id: userId,
  userId,
  status,
  personalizationSource: "KYC" as const,
  virtual: false,
  totalEurCents: 3_023n,
  discountEurCents: 0n,
  currency: "EUR" as const,
  totalCents: 3_023n,
  requestId: "test",
  ...dates,
});

/** What the checks of a paid order ask for. */
export const paymentEvidence = {
  transactionHash: "0x00",
  paymentBlock: 1n,
  paidAt: instant,
  paidAmount: 1n,
  paidBy: nativeToken,
} as const;

export const orderRows = (db: Db): MachineRows<OrderStatus> => ({
  machine: orderMachine,
  column: "status",
  isGuarded: true,
  insert: async (status) => {
    const id = await insertUser(db);
    const evidence = status === undefined ? {} : paymentEvidence;
    await db.transaction((tx) => insertOrder(tx, { ...orderOf(id, status), ...evidence }));
    return id;
  },
  move: async (id, to, by) => (await db.transaction((tx) => moveOrder(tx, id, to, paymentEvidence, by))) !== null,
  force: (id, status) =>
    db
      .update(orders)
      .set({ ...paymentEvidence, status })
      .where(eq(orders.id, id)),
});

export const cardRows = (db: Db): MachineRows<CardStatus> => ({
  machine: cardMachine,
  column: "status_code",
  isGuarded: true,
  insert: async (statusCode = cardMachine.initial) => {
    const id = await insertSafeOf(db);
    const issued = { cardToken: id, lastFourDigits: "4242", virtual: false, expiresAt: instant, statusCode };
    const atIssuer = { issuerStatus: "canceled", issuerSyncedStatus: "canceled" } as const;
    const row = { id, userId: id, safeId: id, requestId: "test" };
    await db.transaction((tx) => insertCard(tx, { ...row, ...issued, ...atIssuer, ...dates }));
    return id;
  },
  move: async (id, to, by) => (await db.transaction((tx) => moveCard(tx, id, to, {}, by))) !== null,
  force: (id, statusCode) => db.update(cards).set({ statusCode }).where(eq(cards.id, id)),
});

function ibanRows(db: Db): MachineRows<IbanStatus> {
  const evidence = (id: string, status: IbanStatus) => ({
    address: addressOf(1),
    signature: "0x00",
    iban: status === "ASSIGNED" ? id : null,
  });
  return {
    machine: ibanMachine,
    column: "status",
    isGuarded: true,
    insert: async (status = "NOTSTARTED") => {
      const id = await insertUser(db);
      const row = { id, userId: id, profileId: id, requestId: "test", status, ...dates };
      await db.insert(ibans).values(row);
      return id;
    },
    move: (id, to) => {
      const change = evidence(id, to) as Parameters<typeof moveIban>[3];
      return db.transaction((tx) => moveIban(tx, id, to, change));
    },
    force: (id, status) =>
      db
        .update(ibans)
        .set({ ...evidence(id, status), status } as Partial<typeof ibans.$inferInsert>)
        .where(eq(ibans.id, id)),
  };
}

/** By table: every machine whose rows can be made without a chain. */
export const machineRows: Readonly<Record<string, (db: Db) => MachineRows>> = {
  safes: safeRows,
  delay_transactions: delayRows,
  orders: orderRows,
  cards: cardRows,
  ibans: ibanRows,
};
