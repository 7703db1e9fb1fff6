import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  erasePersonalData,
  type HeldRows,
  listPersonalTables,
  readPersonalData,
} from "@cardkeep/db/queries/core/personalData/personalData";
import { findCardByToken } from "@cardkeep/db/queries/cards/cards";
import { findWalletToken } from "@cardkeep/db/queries/cards/walletTokens";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findUser, lockUserForErasure } from "@cardkeep/db/queries/users/users";
import { findPersonKey, listIdentityVersions, listRestrictedRecords } from "@cardkeep/db/queries/users/records";
import { deleteOldRows } from "@cardkeep/domain/operations/housekeeping/deleteOldRows";
import { moveAtIssuer } from "@cardkeep/domain/cards/cards/walletTokens";
import { syncCardholder } from "@cardkeep/domain/core/cardholders/syncCardholder";
import { keptReasons } from "@cardkeep/domain/core/privacy/keptHours";
import { openPersonKey } from "@cardkeep/domain/core/records/personKey";
import { addYears } from "@cardkeep/domain/core/records/recordClasses";
import type { UserErasure } from "@cardkeep/domain/users/users/eraseUser";
import { listActions } from "@cardkeep/domain/core/operators/listActions";
import { cardCases, cardPayments, ibans, users } from "@cardkeep/db/schema/tables";
import { eq, sql } from "drizzle-orm";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { becomeComplete } from "../support/completePerson.ts";
import { becomeEligible, createPhysical } from "../support/cards.ts";
import { askCli, runCliOn, spawnCli } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import { becomeIbanHolder, signDeclaration } from "../support/ibans.ts";
import { countLockWaits } from "../support/locks.ts";
import { order } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, useOnce } from "../support/spending.ts";
import { subscribe } from "../support/webhooks.ts";
import { createWorkerContext } from "../support/workerContext.ts";

/** The data of the identity provider and of Ada herself; erasure must remove all of it. */
const secrets = {
  firstName: "Augusta-Zzyzx",
  lastName: "Kinglovelace",
  birthDate: "1915-12-10",
  address1: "Ockhamparkstrasse 77",
  address2: "Hinterhaus Q",
  city: "Kirkbymallory",
  postalCode: "QX93 7ZZ",
  state: "Leicestershirex",
};
const email = "Augusta.Kinglovelace@Example.org";

let service: Service;
let ada: Person;
beforeAll(async () => {
  service = await startService();
  ada = new Person(service);
});
afterAll(() => service.stop());

const columnsNamed = async (names: readonly string[]) =>
  (
    await service.runtime.db.execute<{ table: string }>(
      sql`select distinct table_name as table from information_schema.columns
        where table_schema = 'public' and column_name in ${names}
          and not (select relispartition from pg_class where oid = table_name::regclass)`,
    )
  ).map(({ table }) => table);

/**
 * The whole database as text, except for the sandbox's own tables, which belong to partners, and quotas of a minute.
 */
async function dump(): Promise<string> {
  const { db } = service.runtime;
  const tables = await db.execute<{ schema: string; name: string }>(
    sql`select table_schema as schema, table_name as name from information_schema.tables
      where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'
        and table_name <> 'rate_limits'`,
  );
  const texts = await Promise.all(
    tables.map(async ({ schema, name }) => {
      const rows = await db.execute<{ text: string }>(
        sql`select t::text as text from ${sql.identifier(schema)}.${sql.identifier(name)} t`,
      );
      return rows.map(({ text }) => text).join("\n");
    }),
  );
  return texts.join("\n");
}

/** A clock that stands still, and is the database's as well. */
const clockAt = (at: Date) => ({
  now: async () => at,
  hold: async () => at,
  getOffsetSeconds: async () => (at.getTime() - Date.now()) / 1000,
});

const userOf = async ({ userId }: Person) => {
  const user = await findUser(service.runtime.db, userId ?? "");
  if (!user) throw new Error(`User ${userId} is unknown`);
  return user;
};

describe("a person's data", () => {
  test("every table with a user id or with personal data has an entry in export and erasure", async () => {
    const known = listPersonalTables();
    const personal = [
      "user_id",
      "email",
      "phone",
      "first_name",
      "last_name",
      "address1",
      "embossed_name",
      "iban",
      "birth_date",
    ];
    expect((await columnsNamed(personal)).filter((table) => !known.includes(table))).toEqual([]);
    expect(known).toContain("idempotency_keys");
    expect(known).toContain("codes");
  });

  test("is exported completely, without secrets", async () => {
    await ada.signIn();
    await ada.call("POST", "/auth/signup/otp", { email });
    const { body: mails } = await ada.sandbox("GET", `/mailbox?to=${encodeURIComponent(email)}`);
    const signUp = await ada.call("POST", "/auth/signup", { authEmail: email, otp: mails[0].code });
    [ada.token, ada.userId] = [signUp.body.token, signUp.body.id];
    const former = { ...secrets, address1: "Formerlane 1" };
    for (const applicant of [former, secrets])
      await ada.sandbox("POST", `/kyc/${ada.userId}/review`, { outcome: "approved", applicant });
    const words = { explanation: "The parcel never came" };
    const sealed = await service.runtime.services.secrets.seal(ada.userId ?? "", JSON.stringify(words));
    await service.ownerDb.execute(sql`
      insert into dispute_evidence (payment_id, slot, user_id, sealed, fields, created_at)
      values (${ada.userId}, 'text', ${ada.userId}, ${sealed}, '["explanation"]', now())`);
    await service.ownerDb.execute(sql`
      insert into dispute_evidence (payment_id, slot, user_id, fields, media_type, size, created_at, handed_at)
      values (${ada.userId}, 'cashReceipt', ${ada.userId}, '[]', 'application/pdf', 7, now(), now())`);
    const terms = { terms: "general-tos", version: "TOS_GENERAL_VERSION_1" };
    await ada.call("POST", "/user/terms", terms, { "Idempotency-Key": "terms" });
    const orderId = await order(ada);
    await subscribe(ada, "sandbox");
    const { tables } = await askCli<{ tables: HeldRows[] }>(service, "users", "export", email);
    const rowsOf = (table: string) => tables.find((held) => held.table === table)?.rows ?? [];
    expect(rowsOf("users")).toMatchObject([{ email, firstName: secrets.firstName, birthDate: secrets.birthDate }]);
    expect(rowsOf("orders")).toMatchObject([{ id: orderId, embossedName: expect.stringContaining("Kinglovelace") }]);
    expect(rowsOf("sign_in_wallets")).toMatchObject([{ address: ada.account.address }]);
    expect(rowsOf("terms_acceptances")).toMatchObject([{ type: terms.terms }]);
    expect(rowsOf("idempotency_keys")).toHaveLength(1);
    expect(rowsOf("codes")).toMatchObject([{ receiver: email.toLowerCase() }]);
    const { firstName, birthDate, city } = secrets;
    expect(rowsOf("identity_versions").map(({ content }) => content)).toMatchObject([
      { firstName, birthDate, city, address1: former.address1 },
      { firstName, birthDate, city, address1: secrets.address1 },
    ]);
    expect(rowsOf("dispute_evidence").map(({ slot, content }) => [slot, content])).toEqual([
      ["text", words],
      // The issuer has it, and it is kept here no more.
      ["cashReceipt", null],
    ]);
    expect(JSON.stringify(tables)).not.toMatch(/codeHash|encryptedKey|"sealed/);
    expect(rowsOf("kyc_callbacks").length).toBeGreaterThan(0);
  });

  test("is not erased during open work", async () => {
    await expect(askCli(service, "users", "erase", email)).rejects.toThrow("a card order");
    expect((await ada.call("GET", "/user")).body.firstName).toBe(secrets.firstName);
    const { body: orders } = await ada.call("GET", "/order/");
    await ada.call("POST", `/order/${orders[0].id}/cancel`);
  });

  test("is erased while others have open work", async () => {
    const { db } = service.runtime;
    const [idle, busy] = [new Person(service), new Person(service)];
    for (const person of [idle, busy]) await (await person.signIn()).signUp();
    await db.execute(sql`
      insert into ibans (user_id, id, status, profile_id, attempt, request_id, created_at, updated_at)
      values (${busy.userId}, 'busy', 'NOTSTARTED', 'busy', 'busy', 'test', now(), now())`);
    const erase = (person: Person) => askCli<UserErasure>(service, "users", "erase", person.userId ?? "");
    await expect(erase(busy)).rejects.toThrow("an IBAN that is being opened");
    expect(await erase(idle)).toMatchObject({ userId: idle.userId });
    await db.execute(sql`delete from ibans where id = 'busy'`);
  });

  test("is not erased while the institution has an order that is neither processed nor rejected, and learns which", async () => {
    const holder = new Person(service);
    await holder.becomeAccountHolder();
    const iban = await becomeIbanHolder(holder);
    for (const [state, end] of [
      ["placed", "rejected"],
      ["pending", "processed"],
    ]) {
      const order = { iban, amount: "25.50", kind: "redeem", state };
      const { orderId } = (await holder.sandbox("POST", "/emoney/orders", order)).body;
      await expect(askCli(service, "users", "erase", holder.userId ?? "")).rejects.toThrow(
        `IBAN order ${orderId}, which the e-money institution has to process or reject`,
      );
      await holder.sandbox("POST", `/emoney/orders/${orderId}`, { state: end });
    }
    await askCli<UserErasure>(service, "users", "erase", holder.userId ?? "");
    const left = await readPersonalData(service.runtime.db, await userOf(holder), "records");
    const states = left.find(({ table }) => table === "iban_orders")?.rows.map(({ state }) => state);
    expect(states?.toSorted()).toEqual(["processed", "rejected"]);
  });

  test("is erased although a report is lost of an order that only the person can read, and the case names the order", async () => {
    const { db } = service.runtime;
    const holder = new Person(service);
    await holder.becomeAccountHolder();
    const iban = await becomeIbanHolder(holder);
    const userId = holder.userId ?? "";
    const placed = { iban, amount: "25.50", kind: "redeem", state: "pending" };
    const { orderId } = (await holder.sandbox("POST", "/emoney/orders", placed)).body;
    const age = (days: number) =>
      db.execute(sql`
        update iban_orders set reported_at = now() - make_interval(days => ${days}), updated_at = null where id = ${orderId}`);
    const erase = () => askCli<UserErasure>(service, "users", "erase", userId);
    // The daily comparison reads the orders of a profile that we made.
    await age(31);
    await expect(erase()).rejects.toThrow(`IBAN order ${orderId}`);
    // As by a consent.
    await db.execute(sql`update ibans set linked_profile_id = profile_id where user_id = ${userId}`);
    await age(29);
    await expect(erase()).rejects.toThrow(`IBAN order ${orderId}`);
    await age(31);
    // The case of an earlier reason is there already.
    await askCli(service, "users", "deactivate", userId);
    await erase();
    const opened = await db.select().from(cardCases).where(eq(cardCases.userId, userId));
    expect(opened.map(({ kind, status }) => [kind, status])).toEqual([["iban_to_close", "OPEN"]]);
    expect(opened[0]?.note).toMatch(new RegExp(`^The user was erased.* ${orderId}\\.$`));
  });

  test("is erased while a consent waits that the person never gave", async () => {
    const { db } = service.runtime;
    const holder = new Person(service);
    await holder.becomeAccountHolder();
    const { email: known } = await userOf(holder);
    await holder.sandbox("POST", "/emoney/profiles", { email: known });
    const signature = await signDeclaration(holder);
    expect((await holder.call("POST", "/ibans/emoney-profile", { signature })).status).toBe(422);
    const rowOf = async () =>
      (
        await db
          .select()
          .from(ibans)
          .where(eq(ibans.userId, holder.userId ?? ""))
      )[0];
    expect(await rowOf()).toMatchObject({ status: "PENDING_OAUTH", attempt: expect.any(String) });
    await askCli<UserErasure>(service, "users", "erase", holder.userId ?? "");
    expect(await rowOf()).toMatchObject({ status: "NOTSTARTED", attempt: null, signature: null });
  });

  test("is removed from every table; kept data is listed with the reason; tokens end at once", async () => {
    const bob = await becomeComplete(new Person(service));
    const { userId, tables } = await askCli<UserErasure>(service, "users", "erase", email);
    expect(userId).toBe(ada.userId ?? "");
    const after = (await dump()).toLowerCase();
    for (const secret of [...Object.values(secrets), email, ada.account.address])
      expect([secret, after.includes(secret.toLowerCase())]).toEqual([secret, false]);
    expect(tables.find(({ table }) => table === "orders")).toEqual({
      table: "orders",
      rows: 1,
      kept: expect.stringContaining("accounting"),
    });
    expect(tables.find(({ table }) => table === "sign_in_wallets")).toEqual({
      table: "sign_in_wallets",
      rows: 1,
      kept: null,
    });
    await until(async () => (await ada.call("GET", "/user")).status === 401);
    expect((await bob.call("GET", "/user")).status).toBe(200);
    expect(await askCli<UserErasure>(service, "users", "erase", userId)).toMatchObject({ userId });
  });

  test("does not return with a late callback of the identity provider", async () => {
    const late = await ada.sandbox("POST", `/kyc/${ada.userId}/review`, { outcome: "approved", applicant: secrets });
    expect(late.status).toBe(200);
    expect(await dump()).not.toContain(secrets.lastName);
  });

  test("does not return with a late callback of the e-money institution", async () => {
    const holder = new Person(service);
    await holder.becomeAccountHolder();
    const iban = await becomeIbanHolder(holder);
    await askCli<UserErasure>(service, "users", "erase", holder.userId ?? "");
    // What the chain shows of the account is read by the worker, and is no data of the institution.
    const readRecords = async () =>
      (await readPersonalData(service.runtime.db, await userOf(holder), "records")).filter(
        ({ table }) => table !== "movements",
      );
    const left = await readRecords();
    expect(left.find(({ table }) => table === "ibans")?.rows).toMatchObject([
      { iban: null, address: null, attempt: null },
    ]);
    const late = await holder.sandbox("POST", "/emoney/incoming", { iban, amount: "25.50" });
    expect(late.status).toBe(200);
    expect(await readRecords()).toEqual(left);
  });

  test("does not return with a late report of the card issuer: a use, a capture, a wallet token, an answer", async () => {
    const { db, services } = service.runtime;
    const holder = await becomeCardHolder(service, 0n);
    const { person, cardToken } = holder;
    const userId = person.userId ?? "";
    const card = await findCardByToken(db, cardToken);
    if (!card) throw new Error("The card has no row");
    const till = { merchant: "Shop-of-Vanderlate", city: "Vanderlatetown" };
    const addToken = async (): Promise<string> => {
      const device = { deviceName: "Phone-of-Vanderlate" };
      return (await person.sandbox("POST", `/issuer/cards/${cardToken}/wallet-tokens`, device)).body.walletTokenId;
    };
    const listPayments = () => db.select().from(cardPayments).where(eq(cardPayments.userId, userId));
    const known = await addToken();
    await until(async () => (await findWalletToken(db, known))?.status === "active");
    const recordAnswer = await moveAtIssuer(services, card, known, "suspended");
    await person.sandbox("PUT", "/faults/callbacks.lose", { match: "issuing_token" });
    const lost = await addToken();
    // The card ends here, and the issuer still has it.
    await person.sandbox("PUT", "/faults/issuer.down", { match: `POST /v1/issuing/cards/${cardToken}` });
    await person.call("POST", `/cards/${card.id}/lost`);
    await askCli<UserErasure>(service, "users", "erase", userId);
    await until(async () => (await useOnce(holder, 1_500, till)).reason === "card_not_active");
    await person.sandbox("DELETE", "/faults");
    const capture = { ...till, kind: "capture", amount: 1_700, currency: "EUR" };
    expect((await person.sandbox("POST", `/issuer/cards/${cardToken}/clearings`, capture)).status).toBe(200);
    await db.transaction((tx) => enqueue(tx, "card.walletToken", { walletTokenId: lost, requestId: "late" }));
    await expect(createWorkerContext(service.runtime).commit(recordAnswer)).rejects.toThrow("Wallet token not found");
    await until(async () => {
      const jobs = await db.execute(sql`select 1 from graphile_worker.jobs where task_identifier = 'card.walletToken'`);
      return jobs.length === 0 && (await listPayments()).some(({ capturedCents }) => capturedCents === 1_700n);
    });
    expect((await dump()).match(/[\w-]*vanderlate\w*/gi) ?? []).toEqual([]);
    const payments = await listPayments();
    expect(new Set(payments.map(({ status }) => status))).toEqual(new Set(["CLEARED", "DECLINED"]));
    const erased = { merchantName: null, merchantCity: null, merchantNetworkId: null };
    expect(payments).toEqual(payments.map((payment) => ({ ...payment, ...erased })));
  }, 60_000);

  test("with an IBAN, present or reset, leaves a case to close it, which holds up no erasure and stays closed", async () => {
    const { db } = service.runtime;
    const casesOf = async ({ userId }: Person) =>
      db
        .select()
        .from(cardCases)
        .where(eq(cardCases.userId, userId ?? ""));
    const erase = ({ userId }: Person) => askCli<UserErasure>(service, "users", "erase", userId ?? "");
    for (const doBefore of [
      async () => {},
      (holder: Person) => holder.call("DELETE", "/ibans/reset"),
      (holder: Person) => askCli(service, "users", "deactivate", holder.userId ?? ""),
    ]) {
      const holder = new Person(service);
      await holder.becomeAccountHolder();
      const iban = await becomeIbanHolder(holder);
      const [row] = await db.select().from(ibans).where(eq(ibans.iban, iban));
      await doBefore(holder);
      await erase(holder);
      const opened = await casesOf(holder);
      expect(opened.map(({ kind, subjectId, status }) => [kind, subjectId, status])).toEqual([
        ["iban_to_close", holder.userId ?? "", "OPEN"],
      ]);
      expect(opened[0]?.note).toContain(row?.profileId ?? "no row");
      expect(await dump()).not.toContain(iban);
      await erase(holder);
      await askCli(service, "cases", "close", opened[0]?.id ?? "", "--reason", "The institution closed it");
      await erase(holder);
      expect((await casesOf(holder)).map(({ status }) => status)).toEqual(["CLOSED"]);
      for (const [act = "", ...words] of [["activate"], ["deactivate"], ["risk", "red"]])
        await expect(askCli(service, "users", act, holder.userId ?? "", ...words)).rejects.toThrow("no such user");
      expect(await userOf(holder)).toMatchObject({ status: "DEACTIVATED", sourceOfFundsRisk: null });
      expect((await casesOf(holder)).map(({ status }) => status)).toEqual(["CLOSED"]);
    }
    const without = await new Person(service).becomeApproved();
    await erase(without);
    expect(await casesOf(without)).toEqual([]);
  });

  test("of accounts and cards goes too: no IBAN, BIC, consent, embossed name or evidence is left", async () => {
    const { db } = service.runtime;
    const holder = await becomeEligible(new Person(service), { firstName: "Wilhelmina", lastName: "Vandersloot" });
    const iban = await becomeIbanHolder(holder);
    const card = await createPhysical(holder);
    const [verified] = await listIdentityVersions(service.runtime.db, holder.userId ?? "");
    expect(verified?.disclosedTo).toEqual({ emoney: expect.any(String), issuer: expect.any(String) });
    await holder.call("POST", `/cards/${card?.id}/lost`);
    // A consent is sealed until its IBAN is there, and evidence until the issuer has it.
    await db.execute(sql`update ibans set sealed_token = 'sealed-consent' where iban = ${iban}`);
    await db.execute(sql`
      insert into dispute_evidence (payment_id, slot, user_id, sealed, fields, created_at)
      values ('disputed', 'text', ${holder.userId}, 'sealed-evidence', '[]', now())`);
    const personal = [iban, "sealed-consent", "sealed-evidence", "Vandersloot"];
    const rowsOf = async (table: string) =>
      (await readPersonalData(db, await userOf(holder), "records")).find((held) => held.table === table)?.rows;
    const listLeft = async () => {
      const text = (await dump()).toLowerCase();
      return personal.filter((each) => text.includes(each.toLowerCase()));
    };
    expect(await listLeft()).toEqual(personal);
    expect(await rowsOf("ibans")).toMatchObject([{ bic: expect.any(String) }]);
    expect(await rowsOf("cardholders")).toMatchObject([{ issuerSyncedDetails: expect.any(String) }]);
    // Erased while the issuer is sent a new address.
    const isHolder = eq(users.id, holder.userId ?? "");
    await db.update(users).set({ city: "Vandersloot-City" }).where(isHolder);
    const ctx = createWorkerContext(service.runtime);
    const saveCardholder: typeof ctx.issuer.saveCardholder = async (details, issuerId) => {
      const saved = await ctx.issuer.saveCardholder(details, issuerId);
      await askCli<UserErasure>(service, "users", "erase", holder.userId ?? "");
      return saved;
    };
    await syncCardholder({ ...ctx, issuer: { ...ctx.issuer, saveCardholder } }, { userId: holder.userId ?? "" });
    expect(await listLeft()).toEqual([]);
    expect(await rowsOf("ibans")).toMatchObject([{ iban: null, bic: null }]);
    expect(await rowsOf("cards")).toMatchObject([{ id: card?.id, embossedName: null }]);
    expect(await rowsOf("card_issues")).toMatchObject([{ id: card?.id, embossedName: null }]);
    expect(await rowsOf("dispute_evidence")).toEqual([]);
    // A digest of names, phone and address would let anyone who guesses them check the guess.
    const noDigests = { issuerDetails: null, issuerSyncedDetails: null, issuerRefusedDetails: null };
    expect(await rowsOf("cardholders")).toMatchObject([noDigests]);
  });

  test("is not written by requests that were under way", async () => {
    const { db } = service.runtime;
    const eve = await becomeComplete(new Person(service));
    const orderId = await order(eve);
    const { sent, left } = await db.transaction(async (tx) => {
      const user = await lockUserForErasure(tx, eve.userId ?? "");
      if (!user) throw new Error("Eve is unknown");
      const requests = [
        eve.call("POST", "/eoa-accounts", { address: "0x000000000000000000000000000000000000bEEF" }),
        eve.call("POST", "/user/terms", { terms: "general-tos", version: "TOS_GENERAL_VERSION_1" }),
        eve.call("POST", "/verification", { phoneNumber: "+4915299999999" }),
        eve.call("POST", `/order/${orderId}/cancel`),
        eve.call("GET", "/webhooks/message/sandbox"),
      ];
      await until(async () => (await countLockWaits(service.runtime.db)) === requests.length);
      await erasePersonalData(tx, user, { now: new Date(), keptReasons });
      return { sent: requests, left: await readPersonalData(tx, user, "records") };
    });
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => status)).toEqual(sent.map(() => 401));
    expect(await readPersonalData(db, await userOf(eve), "records")).toEqual(left);
  });

  test("is kept as the law asks: sealed with the person's key until the date of its class, then the key is destroyed", async () => {
    const { db, services, settings } = service.runtime;
    const holder = await becomeEligible(new Person(service), { firstName: "Wilhelmina", lastName: "Vanderkept" });
    const iban = await becomeIbanHolder(holder);
    await holder.sandbox("POST", "/emoney/incoming", {
      iban,
      amount: "25.50",
      counterpart: "Aunt of Vanderkept",
      memo: "Rent-of-Vanderkept",
    });
    const userId = holder.userId ?? "";
    const [version] = await listIdentityVersions(db, userId);
    expect(version).toMatchObject({ level: "basic-kyc-level", until: null });
    expect(version?.disclosedTo).toEqual({ emoney: expect.any(String) });
    const { restricted } = await askCli<UserErasure>(service, "users", "erase", userId);
    const { identity, payments } = settings.policy.recordYears;
    const yearsOf = (until: unknown) => new Date(String(until)).getUTCFullYear() - new Date().getUTCFullYear();
    expect(restricted.map(({ recordClass, until }) => [recordClass, yearsOf(until)])).toEqual([
      ["identity", identity],
      ["payments", payments],
    ]);
    expect(await dump()).not.toContain("Vanderkept");
    const opened = await db.transaction(async (tx) => {
      const key = await openPersonKey(services, { tx, now: new Date() }, userId);
      const texts = [...(await listIdentityVersions(tx, userId)), ...(await listRestrictedRecords(tx, userId))];
      return Promise.all(texts.map(({ sealed }) => key.unseal(userId, sealed)));
    });
    expect(opened.map((text) => text.includes("Vanderkept"))).toEqual([true, true, true]);
    expect(opened[2]).toContain("Rent-of-Vanderkept");
    // The first call of the chore that deletes finds nothing to delete before the dates.
    const left = async () => [
      (await listIdentityVersions(db, userId)).length,
      (await listRestrictedRecords(db, userId)).map(({ recordClass }) => recordClass),
      (await findPersonKey(db, userId)) !== null,
    ];
    const deleteAt = (years: number) =>
      deleteOldRows({
        ...services,
        stopping: new AbortController().signal,
        clock: clockAt(addYears(new Date(), years)),
      });
    await deleteAt(identity - 1);
    expect(await left()).toEqual([1, ["identity", "payments"], true]);
    await db.execute(sql`
      insert into legal_holds (id, user_id, reason, placed_by, placed_at) values ('late', ${userId}, 'Court', 'Ada', now())`);
    await deleteAt(payments + 1);
    expect(await left()).toEqual([1, ["identity", "payments"], true]);
    await db.execute(sql`update legal_holds set lifted_at = now(), lifted_by = 'Ada' where id = 'late'`);
    await deleteAt(identity + 1);
    expect(await left()).toEqual([0, ["payments"], true]);
    await deleteAt(payments + 1);
    expect(await left()).toEqual([0, [], false]);
  }, 60_000);

  test("about payees of card payments is sealed as long as that about payers, and gone from the payments", async () => {
    const { db, services } = service.runtime;
    const paymentCount = 2_000;
    const holder = await becomeEligible(new Person(service));
    const card = await createPhysical(holder);
    await holder.call("POST", `/cards/${card?.id}/lost`);
    await service.ownerDb.execute(sql`
      insert into card_payments (id, thread_id, user_id, safe_id, card_id, status, decline_result, authorized_cents, reversed_cents,
        captured_cents, captured_minor, refunded_cents, billing_currency, merchant_minor, merchant_currency, merchant_name, merchant_city,
        merchant_network_id, mcc, transaction_type, target, owed, set_off, credit, excess_cents, version, request_id, created_at, updated_at)
      select 'payee-' || n, 'payee-' || n, ${holder.userId}, safes.id, ${card?.id}, 'DECLINED', 'Other', 1, 0, 0, 0, 0, 'EUR', 1, 'EUR',
        'Shop-of-Vanderpay ' || n, 'Vanderpaytown', 'network-vanderpay-' || n, '5812', '00', 1, 0, 0, 0, 0, 1, 'r', now(), now()
      from safes, generate_series(1, ${paymentCount}::int) n where safes.user_id = ${holder.userId}`);
    const userId = holder.userId ?? "";
    await askCli<UserErasure>(service, "users", "erase", userId);
    expect((await dump()).toLowerCase()).not.toContain("vanderpay");
    const record = (await listRestrictedRecords(db, userId)).find(({ recordClass }) => recordClass === "payments");
    const key = await db.transaction((tx) => openPersonKey(services, { tx, now: new Date() }, userId));
    const tables: HeldRows[] = JSON.parse(await key.unseal(userId, record?.sealed ?? ""));
    const payments = tables.find(({ table }) => table === "card_payments")?.rows ?? [];
    expect(payments).toHaveLength(paymentCount);
    expect(payments.find(({ id }) => id === "payee-7")).toEqual({
      id: "payee-7",
      merchantName: "Shop-of-Vanderpay 7",
      merchantCity: "Vanderpaytown",
      merchantNetworkId: "network-vanderpay-7",
    });
    expect((await db.execute(sql`select 1 from card_payments where user_id = ${userId}`)).length).toBe(paymentCount);
  }, 60_000);

  test("is erased again by the log after a backup brought it back, whatever holds up another person", async () => {
    const [back, held] = [await new Person(service).becomeApproved(), await new Person(service).becomeApproved()];
    await askCli(service, "users", "hold", held.userId ?? "", "--reason", "Court");
    const line = (userId: string | null) => JSON.stringify({ level: "info", userId, msg: "a person was erased" });
    const file = join(await mkdtemp(join(tmpdir(), "cardkeep-erasures-")), "server.log");
    const lines = [
      `server | ${line(back.userId)}`,
      "no JSON {",
      JSON.stringify({ userId: ada.userId, msg: "a person signed in" }),
      line(held.userId),
      line(back.userId),
      line("unknown"),
    ];
    await Bun.write(file, lines.join("\n"));
    const { db, services } = service.runtime;
    const run = () => runCliOn(service.runtime, "users", "erase-again", file, "--json");
    const outcomes = ({ out }: { out: string }) =>
      new Map(
        (JSON.parse(out) as { userId: string; outcome: string }[]).map(({ userId, outcome }) => [userId, outcome]),
      );
    const first = await run();
    expect(first.code).toBe(1);
    expect(outcomes(first)).toEqual(
      new Map([
        [back.userId ?? "", "erased"],
        [held.userId ?? "", "left"],
        ["unknown", "unknown"],
      ]),
    );
    expect((await userOf(back)).erasedAt).not.toBeNull();
    expect((await userOf(held)).erasedAt).toBeNull();
    const [action] = await listActions(services, { verb: "users.erase-again", limit: 1 });
    expect(action?.after).toEqual({ erased: [back.userId ?? ""] });
    await askCli(service, "users", "release", held.userId ?? "");
    const second = await run();
    expect([second.code, outcomes(second).get(back.userId ?? ""), outcomes(second).get(held.userId ?? "")]).toEqual([
      0,
      "erased before",
      "erased",
    ]);
    expect(await findUser(db, "unknown")).toBeNull();
  });

  test("is erased again by the error stream of the command that erased it, at every log level", async () => {
    const { env, runtime } = service;
    const { userId } = await new Person(service).becomeApproved();
    const erased = await spawnCli({ ...env, LOG_LEVEL: "silent" }, "users", "erase", userId ?? "", "--json");
    expect(JSON.parse(erased.out)).toMatchObject({ userId });
    const file = join(await mkdtemp(join(tmpdir(), "cardkeep-erasures-")), "commands.log");
    await Bun.write(file, erased.err);
    // As a restored backup has the person.
    await service.ownerDb.execute(sql`update users set erased_at = null where id = ${userId}`);
    const { out } = await runCliOn(runtime, "users", "erase-again", file, "--json");
    expect(JSON.parse(out)).toEqual([{ userId, outcome: "erased", reason: null }]);
  });

  test("is not erased while a legal hold is open", async () => {
    const held = await new Person(service).becomeApproved();
    const userId = held.userId ?? "";
    await askCli(service, "users", "hold", userId, "--reason", "Court of Berlin, 12 O 34/26");
    await expect(askCli(service, "users", "hold", userId, "--reason", "Again")).rejects.toThrow("legal hold");
    await expect(askCli(service, "users", "erase", userId)).rejects.toThrow("Court of Berlin");
    // What goes to the person does not tell of it.
    const { tables } = await askCli<{ tables: { table: string }[] }>(service, "users", "export", userId);
    expect(filled(tables).map(({ table }) => table)).not.toContain("legal_holds");
    expect(JSON.stringify(tables)).not.toContain("Court of Berlin");
    // Commands say what the page says of the person.
    const { out } = await runCliOn(service.runtime, "users", "show", userId);
    expect(out).toMatch(/^Legal hold +.*\n +Court of Berlin, 12 O 34\/26$/m);
    expect((await held.call("GET", "/user")).body.firstName).toBe("Ada");
    await askCli(service, "users", "release", userId);
    await expect(askCli(service, "users", "release", userId)).rejects.toThrow("No legal hold");
    expect(await askCli<UserErasure>(service, "users", "erase", userId)).toMatchObject({ userId });
  });

  test("loses no record to its age while a legal hold is open, and every one after it", async () => {
    const { db, services } = service.runtime;
    const [held, free] = [await new Person(service).becomeApproved(), await new Person(service).becomeApproved()];
    await askCli(service, "users", "hold", held.userId ?? "", "--reason", "Court");
    for (const { userId } of [held, free]) {
      const id = userId ?? "";
      const rows = [
        sql`insert into contact_changes (id, user_id, kind, former, value, token_hash, operator, request_id, created_at, expires_at, ended_at, outcome)
          values (${id}, ${id}, 'email', 'a@example.org', 'b@example.org', ${id}, 'support', 'r', now(), now(), now(), 'changed')`,
        sql`insert into dispute_evidence (payment_id, slot, user_id, fields, created_at, handed_at)
          values (${id}, 'text', ${id}, '[]', now(), now())`,
        sql`insert into card_rule_hits (id, rule_id, version, state, reason, payment_id, user_id, amount_cents, currency, created_at)
          values (${id}, 'rule', 1, 'SHADOW', 'r', ${id}, ${id}, 1, 'EUR', now())`,
        sql`insert into user_tokens (id, user_id, name, scopes, hash, made_by, created_at, ends_at, "end")
          values (${id}, ${id}, 'Books', '{transactions}', ${id}, '0x1', now(), now(), 'revoked')`,
        sql`insert into emoney_callbacks (id, institution, user_id, received_at) values (${id}, 'monerium', ${id}, now())`,
        sql`insert into subscriptions (id, partner_id, user_id, wallet_address, last_sequence, created_at)
          values (${id}, 'sandbox', ${id}, '0x1', 0, now())`,
        sql`insert into deliveries (id, partner_id, subscription_id, event_id, sequence, position, status, attempts, schedule_from, next_attempt_at, created_at, ended_at)
          select 'msg_' || id, 'sandbox', ${id}, id, 1, 1, 'DELIVERED', 1, 0, now(), now(), now() from events where user_id = ${id} limit 1`,
        sql`insert into delivery_attempts (delivery_id, attempt, at, status, duration_ms)
          select 'msg_' || id, 1, now(), 200, 1 from events where user_id = ${id} limit 1`,
      ];
      for (const row of rows) await service.ownerDb.execute(row);
    }
    const countRows = async ({ userId }: Person) => {
      const isOf = sql`user_id = ${userId}`;
      const isDelivered = sql`subscription_id = ${userId}`;
      const conditions = {
        contact_changes: isOf,
        dispute_evidence: isOf,
        card_rule_hits: isOf,
        user_tokens: isOf,
        emoney_callbacks: isOf,
        events: isOf,
        deliveries: isDelivered,
        delivery_attempts: sql`right(delivery_id, 36) in (select id from events where ${isOf})`,
      };
      const counts: Record<string, number> = {};
      for (const [table, condition] of Object.entries(conditions)) {
        const [row] = await db.execute<{ n: number }>(
          sql`select count(*)::int as n from ${sql.identifier(table)} where ${condition}`,
        );
        counts[table] = row?.n ?? 0;
      }
      return counts;
    };
    const deleteLater = () =>
      deleteOldRows({
        ...services,
        clock: clockAt(new Date(Date.now() + 400 * 86_400_000)),
        stopping: new AbortController().signal,
      });
    const before = await countRows(held);
    expect(filled(Object.entries(before)).filter(([, count]) => count === 0)).toEqual([]);
    await deleteLater();
    expect(await countRows(held)).toEqual(before);
    const none = Object.fromEntries(Object.keys(before).map((table) => [table, 0]));
    expect(await countRows(free)).toEqual(none);
    await askCli(service, "users", "release", held.userId ?? "");
    await deleteLater();
    expect(await countRows(held)).toEqual(none);
  });

  test("of changed verified data has one version each, which no later verdict changes", async () => {
    const { db } = service.runtime;
    const person = await new Person(service).becomeApproved();
    const review = (lastName: string) =>
      person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome: "approved", applicant: { lastName } });
    const versions = () => listIdentityVersions(db, person.userId ?? "");
    const [first] = await versions();
    await review("Lovelace");
    expect(await versions()).toEqual([first as never]);
    await review("King");
    const [kept, second] = await versions();
    expect(kept).toEqual(first as never);
    expect(second?.sealed).not.toBe(kept?.sealed);
  });

  test("leaves wallet and address free for another user", async () => {
    const again = new Person(service);
    Object.assign(again, { account: ada.account });
    await again.signIn();
    const { status, body } = await again.call("POST", "/auth/signup", { authEmail: email });
    expect(status).toBe(201);
    expect(body.id).not.toBe(ada.userId);
  });
});
