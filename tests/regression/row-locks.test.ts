/** A payment refers to its user behind the Safe's lock, while a new card locks the user and then the Safe: no deadlock. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { safes, users } from "@cardkeep/db/schema/tables";
import { sql } from "drizzle-orm";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let ada: Person;
beforeAll(async () => {
  service = await startService();
  ada = new Person(service);
  await ada.becomeAccountHolder();
});
afterAll(() => service.stop());

test("rows may refer to a user and a Safe that other transactions have locked; a second lock waits", async () => {
  const { db } = service.runtime;
  const [safe] = await db.select().from(safes);
  await db.transaction(async (tx) => {
    await lockUser(tx, ada.userId ?? "");
    await lockSafe(tx, safe?.id ?? "");
    for (const table of [users, safes]) {
      // What a foreign key takes.
      expect(await db.execute(sql`select id from ${table} for key share nowait`)).toHaveLength(1);
      const second = db.execute(sql`select id from ${table} for no key update nowait`);
      expect(
        await second.then(
          () => "locked",
          () => "waits",
        ),
      ).toBe("waits");
    }
  });
});
