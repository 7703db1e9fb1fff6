/** Names, addresses and phone numbers at the card issuer, and the time after a change of the number. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { findCardByToken } from "@cardkeep/db/queries/cards/cards";
import { cardholders, users } from "@cardkeep/db/schema/tables";
import { recordWalletToken } from "@cardkeep/domain/cards/cards/recordWalletToken";
import { readWalletToken } from "@cardkeep/domain/cards/cards/readWalletToken";
import { createElements } from "@cardkeep/sandbox/elements/app";
import { eq } from "drizzle-orm";
import { filled } from "../support/filled.ts";
import { createVirtual, readyOrder } from "../support/cards.ts";
import { type IssuerCard, openIssuerCard } from "../support/issuerCard.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { atIssuer as getAtIssuer, use } from "../support/spending.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
let card: IssuerCard;
let own: string;
beforeAll(async () => {
  service = await startService();
  card = await openIssuerCard(service);
  own = (await card.ada.person.call("GET", "/user")).body.phone;
});
afterEach(() => card.ada.person.sandbox("DELETE", "/faults"));
afterAll(() => service.stop());

const ada = () => card.ada.person;
const atIssuer = async () => (await ada().sandbox("GET", `/issuer/cards/${card.ada.cardToken}`)).body.cardholder;
/** The person's name at the issuer; what is printed on cards stays as it was. */
const nameAtIssuer = async () => {
  const [holder] = await service.runtime.db
    .select()
    .from(cardholders)
    .where(eq(cardholders.userId, ada().userId ?? ""));
  const { individual } = await getAtIssuer(service, `/v1/issuing/cardholders/${holder?.issuerId}`, null);
  return `${individual.first_name} ${individual.last_name}`;
};
const messagesTo = async (number: string) =>
  (await ada().sandbox("GET", `/phones?to=${encodeURIComponent(number)}`)).body as {
    code: string | null;
    text: string;
  }[];
const start = async (phoneNumber: string) => (await ada().call("POST", "/verification", { phoneNumber })).status;
const prove = async (phoneNumber: string) => {
  expect(await start(phoneNumber)).toBe(200);
  // A message to a former number about its change may come later.
  const newest = (await messagesTo(phoneNumber)).find(({ code }) => code !== null);
  expect((await ada().call("POST", "/verification/check", { code: newest?.code })).status).toBe(200);
};
const advance = (seconds: number) => ada().sandbox("POST", "/chain/advance", { seconds });
const rowOf = async () => {
  const [row] = await service.runtime.db
    .select()
    .from(users)
    .where(eq(users.id, ada().userId ?? ""));
  return row;
};
const isPhysical = ({ virtual }: { virtual: boolean }) => !virtual;
const use3ds = (threeDSecure = "authenticated") => use(card.ada, 100, { threeDSecure });

describe("the issuer's cardholder follows", () => {
  test("a name that the identity provider changed, also through an outage of the issuer", async () => {
    const review = (lastName: string) =>
      ada().sandbox("POST", `/kyc/${ada().userId}/review`, { outcome: "approved", applicant: { lastName } });
    await review("Byron");
    await until(async () => (await nameAtIssuer()) === "Ada Byron");
    await ada().sandbox("PUT", "/faults/issuer.down", {});
    await review("King");
    await ada().sandbox("DELETE", "/faults");
    await until(async () => (await nameAtIssuer()) === "Ada King");
    expect((await atIssuer()).status).toBe("active");
  });

  test("before another card is made", async () => {
    const other = { firstName: "Augusta Ada", lastName: "Lovelace-Noel-Byron" };
    await service.runtime.db
      .update(users)
      .set(other)
      .where(eq(users.id, ada().userId ?? ""));
    await createVirtual(ada());
    expect(await nameAtIssuer()).toBe("Augusta Ada Lovelace-Noel-Byron");
  });
});

describe("a change of the phone number in a stolen session", () => {
  const thief = "+4915199000001";

  test("ships a card that waited for the issuer with the owner's number", async () => {
    const orderId = await readyOrder(ada());
    await ada().sandbox("PUT", "/faults/issuer.down", {});
    await ada().call("POST", `/order/${orderId}/create-card`, {});
    expect(await start("+4915199000005")).toBe(200);
    await ada().sandbox("DELETE", "/faults");
    const listPhysical = async () => (await ada().call("GET", "/cards")).body.filter(isPhysical);
    await until(async () => (await listPhysical()).length === 1);
    const [{ cardToken }] = await listPhysical();
    expect(await rowOf()).toMatchObject({ phone: "+4915199000005", isPhoneValidated: false });
    const { shipping } = await getAtIssuer(service, `/v1/issuing/cards/${cardToken}`, null);
    expect(shipping.phone_number).toBe(own);
    await advance(3_700);
  });

  test("gives the issuer no number before it is proven", async () => {
    expect(await start(thief)).toBe(200);
    await advance(3_700);
    expect((await atIssuer()).phoneNumber).toBe(own);
    expect(await use3ds()).toMatchObject({ approved: true });
  });

  test("tells the owner at the former number and by mail", async () => {
    await prove(thief);
    await until(async () => (await messagesTo(own)).some(({ text }) => text.includes("was changed")));
    const { email } = (await ada().call("GET", "/user")).body;
    await until(async () => {
      const mails = (await ada().sandbox("GET", `/mailbox?to=${encodeURIComponent(email)}`)).body;
      return mails[0]?.subject === "Your phone number was changed";
    });
  });

  test("reaches no code, number, PIN, card or wallet token for a day: the issuer keeps the former number", async () => {
    expect(await use3ds()).toMatchObject({ approved: false, reason: "contact_changed" });
    expect(await use3ds("attempt_acknowledged")).toMatchObject({ approved: false, reason: "contact_changed" });
    expect(await use(card.ada, 100)).toMatchObject({ approved: true });
    const refused = { status: 422, body: { error: "Contact details were changed recently" } };
    expect(await ada().call("POST", "/cards/virtual")).toMatchObject(refused);
    const elements = createElements(service.runtime);
    for (const element of ["cardData", "cardPin", "setCardPin"]) {
      const { ephemeralToken } = (await ada().sandbox("GET", "/elements/token")).body.data;
      const fields = { element, ephemeralToken, accessToken: ada().token, cardToken: card.ada.cardToken };
      const opened = await elements.fetch(
        new Request("http://localhost:3002/open", {
          method: "POST",
          headers: { Origin: "http://localhost:3002" },
          body: JSON.stringify(fields),
        }),
      );
      expect(opened.status).toBe(422);
    }
    const made = (await ada().sandbox("POST", `/issuer/cards/${card.ada.cardToken}/wallet-tokens`, {})).body;
    const paid = await use(card.ada, 100, { walletTokenId: made.walletTokenId });
    expect(paid.approved).toBe(false);
    const tokens = async () => (await ada().call("GET", `/cards/${card.cardId}/wallet-tokens`)).body;
    await until(async () => (await tokens())[0]?.status === "deleted");
    // A later look of the issuer's, and another change within the day, change nothing of it.
    await prove("+4915199000002");
    await advance(3_700);
    await until(async () => (await rowOf())?.phone === "+4915199000002");
    expect((await atIssuer()).phoneNumber).toBe(own);
  });

  test("and after it the new number reaches the issuer, and all works again", async () => {
    await advance(24 * 3_600);
    await until(async () => (await atIssuer()).phoneNumber === "+4915199000002");
    expect(await use3ds()).toMatchObject({ approved: true });
    await createVirtual(ada());
  });

  test("ends at once when the owner proves the former number again", async () => {
    await prove(thief);
    expect(await use3ds()).toMatchObject({ approved: false, reason: "contact_changed" });
    await prove("+4915199000002");
    expect(await use3ds()).toMatchObject({ approved: true });
    expect((await atIssuer()).phoneNumber).toBe("+4915199000002");
  });

  test.each([
    ["the owner's repair", [null]],
    ["another change", ["+4915199000003"]],
    ["the repair and another change", [null, thief]],
  ])("loses a wallet token also where its callback comes after %s, and it pays nothing before", async (_, changes) => {
    const former = (await rowOf())?.phone ?? "";
    await prove(thief);
    await ada().sandbox("PUT", "/faults/callbacks.lose", {});
    const { walletTokenId } = (await ada().sandbox("POST", `/issuer/cards/${card.ada.cardToken}/wallet-tokens`, {}))
      .body;
    await advance(600);
    for (const next of filled(changes)) {
      await prove(next ?? former);
      expect(await use(card.ada, 100, { walletTokenId })).toMatchObject({ approved: false });
    }
    await ada().sandbox("DELETE", "/faults");
    await readWalletToken(createWorkerContext(service.runtime), { walletTokenId });
    const [token] = (await ada().call("GET", `/cards/${card.cardId}/wallet-tokens`)).body;
    expect(token).toMatchObject({ id: walletTokenId, status: "deleted" });
    await advance(25 * 3_600);
  });
});

test("a notice to a former number waits while the gateway refuses our credentials, and arrives then", async () => {
  const [former, number] = [(await rowOf())?.phone ?? "", "+4915199000004"];
  expect(await start(number)).toBe(200);
  const [{ code } = { code: null }] = await messagesTo(number);
  await ada().sandbox("PUT", "/faults/sms.error", { status: 401 });
  expect((await ada().call("POST", "/verification/check", { code })).status).toBe(200);
  const refusals = async () => (await ada().sandbox("GET", "/faults")).body[0].hits;
  await until(async () => (await refusals()) > 0);
  await ada().sandbox("DELETE", "/faults");
  await until(async () => (await messagesTo(former)).some(({ text }) => text.includes("ends in 004")));
});

test.each([
  ["that is new", 1_000, false],
  ["whose callback is late", 3_600_000, true],
])(
  "a wallet token %s is no older than it may be, and as old as the issuer says where that is sure",
  async (_, byMs, isIssuers) => {
    const context = createWorkerContext(service.runtime);
    const row = await findCardByToken(service.runtime.db, card.ada.cardToken);
    if (row === null) throw new Error("There is no card");
    const { recorded, now, createdAt } = await context.commit(async (work) => {
      const report = {
        id: `intok_${byMs}`,
        cardToken: row.cardToken,
        status: "active",
        wallet: null,
        network: "visa",
        deviceType: null,
        deviceName: null,
        lastFourDigits: null,
        createdAt: new Date(work.now.getTime() - byMs),
      } as const;
      return { recorded: await recordWalletToken(work, row, report), now: work.now, createdAt: report.createdAt };
    });
    expect(recorded.createdAt).toEqual(isIssuers ? createdAt : now);
  },
);
