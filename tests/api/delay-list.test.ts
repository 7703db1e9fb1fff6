import { beforeAll, describe, expect, test } from "bun:test";
import type { DelayStatus } from "@cardkeep/contract/accounts/delays";
import type { Address } from "@cardkeep/contract/core/primitives";
import { listDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import { delayTransactions, safes } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { randomBytes, randomUUID } from "node:crypto";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

let service: RunningService;
beforeAll(async () => {
  service = await shareService({ worker: false });
});

const randomAddress = (): Address => `0x${randomBytes(20).toString("hex")}`;

async function insertSafe(userId: string, status: "ok" | "reset", createdAt: Date) {
  const row = {
    id: randomUUID(),
    userId,
    saltNonce: 0n,
    address: randomAddress(),
    delayAddress: randomAddress(),
    rolesAddress: randomAddress(),
    bouncerAddress: randomAddress(),
    firstOwner: randomAddress(),
    tokenSymbol: "EURe" as const,
    dailyLimit: 1n,
    cooldownSeconds: 180,
    expirationSeconds: 1800,
    setUpBy: "operator" as const,
    creator: randomAddress(),
    spender: randomAddress(),
    requestId: "test",
    status,
    createdAt,
    updatedAt: createdAt,
  };
  await service.runtime.db.insert(safes).values(row);
  return row;
}

/** Accepted in this order; a queue nonce is the position in the Delay module's queue. */
async function insertDelays(
  safe: Awaited<ReturnType<typeof insertSafe>>,
  accepted: { id: string; status: DelayStatus; queueNonce?: number }[],
): Promise<void> {
  const now = new Date();
  await service.runtime.db.insert(delayTransactions).values(
    accepted.map(({ id, status, queueNonce }) => ({
      id,
      safeId: safe.id,
      userId: safe.userId,
      kind: "withdrawal" as const,
      to: randomAddress(),
      value: 7n,
      data: "0x01" as const,
      operation: "CALL" as const,
      delayAddress: safe.delayAddress,
      signer: safe.firstOwner,
      messageHash: `0x${randomBytes(32).toString("hex")}` as const,
      enqueueData: "0x02" as const,
      requestId: "test",
      status,
      enqueueTaskId: randomUUID(),
      ...(queueNonce !== undefined && { queueNonce: BigInt(queueNonce), readyAt: now }),
      ...(status === "EXECUTED" && { executedHash: "0x03" as const }),
      ...(status === "FAILED" && { reason: "expired" }),
      createdAt: now,
      updatedAt: now,
    })),
  );
}

const listIds = async (person: Person): Promise<string[]> =>
  (await person.call("GET", "/delay-relay")).body.map(({ id }: { id: string }) => id);

describe("GET /delay-relay", () => {
  test("shows open operations after the last 100 executed, in the order of the queue, not of acceptance", async () => {
    const person = await (await new Person(service).signIn()).signUp();
    const safe = await insertSafe(person.userId ?? "", "ok", new Date());
    const executed = Array.from({ length: 105 }, (_, place) => ({
      id: `executed-${place}`,
      status: "EXECUTED" as const,
      queueNonce: place,
    }));
    await insertDelays(safe, [
      ...executed,
      { id: "expired", status: "FAILED", queueNonce: 105 },
      { id: "refused", status: "FAILED" },
      { id: "waiting-second", status: "WAITING", queueNonce: 107 },
      { id: "waiting-first", status: "EXECUTING", queueNonce: 106 },
      { id: "queuing-first", status: "QUEUING" },
      { id: "queuing-second", status: "QUEUING" },
    ]);
    expect(await listIds(person)).toEqual([
      ...executed.slice(5).map(({ id }) => id),
      "waiting-first",
      "waiting-second",
      "queuing-first",
      "queuing-second",
    ]);
  });

  test("shows all Safes of a person, the older one first, and no other person's", async () => {
    const person = await (await new Person(service).signIn()).signUp();
    const stranger = await (await new Person(service).signIn()).signUp();
    const older = await insertSafe(person.userId ?? "", "reset", new Date("2026-01-01"));
    const newer = await insertSafe(person.userId ?? "", "ok", new Date("2026-02-01"));
    const foreign = await insertSafe(stranger.userId ?? "", "ok", new Date("2026-01-15"));
    await insertDelays(newer, [{ id: "new", status: "EXECUTED", queueNonce: 0 }]);
    await insertDelays(older, [{ id: "old", status: "EXECUTED", queueNonce: 3 }]);
    await insertDelays(foreign, [{ id: "foreign", status: "WAITING", queueNonce: 1 }]);
    const { body } = await person.call("GET", "/delay-relay");
    expect(body.map(({ id, safeAddress }: { id: string; safeAddress: string }) => ({ id, safeAddress }))).toEqual([
      { id: "old", safeAddress: older.address },
      { id: "new", safeAddress: newer.address },
    ]);
  });

  test("knows the inner call of each operation if it is asked for, otherwise of those without data", async () => {
    const person = await (await new Person(service).signIn()).signUp();
    const safe = await insertSafe(person.userId ?? "", "ok", new Date());
    await insertDelays(safe, [
      { id: "executed-token", status: "EXECUTED", queueNonce: 0 },
      { id: "executed-native", status: "EXECUTED", queueNonce: 1 },
      { id: "open-token", status: "WAITING", queueNonce: 2 },
      { id: "open-native", status: "WAITING", queueNonce: 3 },
    ]);
    const { db, services } = service.runtime;
    for (const id of ["executed-native", "open-native"])
      await db.update(delayTransactions).set({ data: "0x" }).where(eq(delayTransactions.id, id));
    const rows = await db.select().from(delayTransactions).where(eq(delayTransactions.safeId, safe.id));
    const callOf = new Map(rows.map(({ id, to, value }) => [id, { to, value: value.toString() }]));
    const list = async (withCall: boolean) => {
      const listed = await listDelays(services.reads, { userId: safe.userId, executedMax: 100, withCall });
      return listed.map(({ id, call }) => ({ id, call }));
    };
    const ids = ["executed-token", "executed-native", "open-token", "open-native"];
    expect(await list(true)).toEqual(ids.map((id) => ({ id, call: callOf.get(id) ?? null })));
    expect(await list(false)).toEqual(
      ids.map((id) => ({ id, call: id.endsWith("native") ? (callOf.get(id) ?? null) : null })),
    );
  });
});
