/** A payment refers to its user behind the Safe's lock, while a new card locks the user and then the Safe: no deadlock. */
import { beforeAll, expect, test } from "bun:test";
import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { safes, users } from "@cardkeep/db/schema/tables";
import { eq, sql } from "drizzle-orm";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

let service: RunningService;
let ada: Person;
beforeAll(async () => {
  service = await shareService();
  ada = new Person(service);
  await ada.becomeAccountHolder();
});

test("rows may refer to a user and a Safe that other transactions have locked; a second lock waits", async () => {
  const { db } = service.runtime;
  const userId = ada.userId ?? "";
  const [safe] = await db.select().from(safes).where(eq(safes.userId, userId));
  const safeId = safe?.id ?? "";
  await db.transaction(async (tx) => {
    await lockUser(tx, userId);
    await lockSafe(tx, safeId);
    for (const [table, id] of [
      [users, userId],
      [safes, safeId],
    ] as const) {
      // What a foreign key takes.
      expect(await db.execute(sql`select id from ${table} where id = ${id} for key share nowait`)).toHaveLength(1);
      const second = db.execute(sql`select id from ${table} where id = ${id} for no key update nowait`);
      expect(
        await second.then(
          () => "locked",
          () => "waits",
        ),
      ).toBe("waits");
    }
  });
});
