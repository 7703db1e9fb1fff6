import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { couponRedemptions, coupons, orders } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { order, payFromWallet } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  const prices = { CARD_COUNTRIES: "DE,GB", CARD_PRICES: "EUR=30.23,GBP=10" };
  service = await startService({ worker: false, env: { FREE_COUPON_CODE: "onthehouse", ...prices } });
});
afterAll(() => service.stop());

const newPerson = () => new Person(service).becomeApproved();
const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const invalid = { status: 422, body: { message: "Coupon code is invalid." } };

const used = { status: 422, body: { message: "Coupon code was already used." } };

const make = async (fields: Record<string, unknown>) => {
  const { status } = await new Person(service).sandbox("POST", "/coupons", fields);
  if (status !== 200) throw new Error(`coupons: ${status}`);
};
const attach = async (person: Person, id: string, couponCode: unknown) =>
  shortOf(await person.call("POST", `/order/${id}/attach-coupon`, { couponCode }));
const redemptionsOf = async (code: string) => {
  const [row] = await service.runtime.db.select().from(coupons).where(eq(coupons.code, code));
  return row?.redemptions;
};
const totalsOf = async (person: Person, id: string) => {
  const { couponCode, totalAmountEUR, totalDiscountEUR } = (await person.call("GET", `/order/${id}`)).body;
  return { couponCode, totalAmountEUR, totalDiscountEUR };
};

const undiscounted = { couponCode: undefined, totalAmountEUR: 30.23, totalDiscountEUR: 0 };

describe("a coupon", () => {
  test("reduces the order at once, in any letter case; a repetition changes nothing", async () => {
    await make({ code: "Tenth", percent: 10 });
    const person = await newPerson();
    const id = await order(person);
    for (const spelled of ["tenth", "TENTH", "Tenth"]) {
      expect(await attach(person, id, spelled)).toEqual({ status: 200, body: { couponCode: "TENTH" } });
    }
    // A tenth of 30.23 is 3.023.
    const totals = { couponCode: "TENTH", totalAmountEUR: 30.23, totalDiscountEUR: 3.02 };
    expect((await person.call("GET", "/order/")).body).toMatchObject([totals]);
    expect(await redemptionsOf("TENTH")).toBe(1);
  });

  test("of an amount reduces the price by it, and never below zero", async () => {
    await make({ code: "FIVE", amount: "5.5" });
    await make({ code: "LOTS", amount: 1000 });
    const person = await newPerson();
    const id = await order(person);
    await attach(person, id, "FIVE");
    expect(await totalsOf(person, id)).toMatchObject({ totalDiscountEUR: 5.5 });
    await attach(person, id, "LOTS");
    expect(await totalsOf(person, id)).toMatchObject({ totalDiscountEUR: 30.23, totalAmountEUR: 30.23 });
    expect(shortOf(await person.call("PUT", `/order/${id}/confirm-payment`))).toEqual({
      status: 200,
      body: { ok: true },
    });
  });

  test("of a cent less than the EUR price leaves a penny of a lower price, which is paid", async () => {
    await make({ code: "NEARLY", amount: "30.22" });
    const person = await new Person(service).becomeApproved({ country: "GB" });
    const id = await order(person);
    await attach(person, id, "NEARLY");
    const shown = { totalAmount: 10, totalDiscount: 9.99, currency: "GBP", totalDiscountEUR: 30.22 };
    expect((await person.call("GET", `/order/${id}`)).body).toMatchObject(shown);
    expect((await person.call("PUT", `/order/${id}/confirm-payment`)).status).toBe(400);
    const transactionHash = await payFromWallet(service, person.account, { token: "GBPe", amount: 10n ** 16n });
    await person.call("PUT", `/order/${id}/attach-transaction`, { transactionHash });
    expect(shortOf(await person.call("PUT", `/order/${id}/confirm-payment`))).toEqual({
      status: 200,
      body: { ok: true },
    });
  });

  test("of less value changes the shown coupon, and not the price", async () => {
    await make({ code: "HALF", percent: 50 });
    await make({ code: "CENT", amount: "0.01" });
    const person = await newPerson();
    const id = await order(person);
    await attach(person, id, "HALF");
    await attach(person, id, "CENT");
    expect(await totalsOf(person, id)).toEqual({ couponCode: "CENT", totalAmountEUR: 30.23, totalDiscountEUR: 15.12 });
    await attach(person, id, "HALF");
    expect(await totalsOf(person, id)).toMatchObject({ couponCode: "HALF", totalDiscountEUR: 15.12 });
  });

  test("that is unknown, expired, disabled or not a code is refused with one text", async () => {
    await make({ code: "LATE", percent: 10, expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    await make({ code: "OFF", percent: 10 });
    await service.runtime.db.update(coupons).set({ active: false }).where(eq(coupons.code, "OFF"));
    const person = await newPerson();
    const id = await order(person);
    for (const code of ["NOBODY", "OFF", "", " ", "%", "a\u0000b", "x".repeat(65), "' or 1=1"]) {
      expect(await attach(person, id, code)).toEqual(invalid);
    }
    expect(await attach(person, id, undefined)).toEqual({ status: 422, body: { message: "couponCode is missing" } });
    expect((await attach(person, id, 5)).status).toBe(422);
    expect(await attach(person, id, "LATE")).toEqual({ status: 200, body: { couponCode: "LATE" } });

    const late = await newPerson();
    const lateId = await order(late);
    await late.sandbox("POST", "/chain/advance", { seconds: 3_600 });
    expect(await attach(late, lateId, "LATE")).toEqual(invalid);
    expect(await totalsOf(late, lateId)).toEqual(undiscounted);
    expect(await redemptionsOf("LATE")).toBe(1);
  });

  test("with one redemption and twenty people at once goes to one of them", async () => {
    await make({ code: "SINGLE", percent: 100, maxRedemptions: 1 });
    const people = await Promise.all(Array.from({ length: 20 }, newPerson));
    const ids = await Promise.all(people.map((person) => order(person)));
    const answers = await Promise.all(people.map((person, index) => attach(person, ids[index] ?? "", "single")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200)).toEqual(Array.from({ length: 19 }, () => used));
    expect(await redemptionsOf("SINGLE")).toBe(1);
    const redeemed = await service.runtime.db
      .select()
      .from(couponRedemptions)
      .where(eq(couponRedemptions.code, "SINGLE"));
    expect(redeemed).toHaveLength(1);
  });

  test("attached twenty times in parallel by one person is redeemed once", async () => {
    await make({ code: "ONCE", percent: 20, maxRedemptions: 5 });
    const person = await newPerson();
    const id = await order(person);
    const answers = await Promise.all(Array.from({ length: 20 }, () => attach(person, id, "ONCE")));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await redemptionsOf("ONCE")).toBe(1);
  });

  test("of a cancelled order can be used again, by the same person and by others", async () => {
    await make({ code: "SHARED", percent: 10, maxRedemptions: 1 });
    const [ada, bob] = await Promise.all([newPerson(), newPerson()]);
    const first = await order(ada);
    await attach(ada, first, "SHARED");
    const bobs = await order(bob);
    expect(await attach(bob, bobs, "SHARED")).toEqual(used);
    await ada.call("POST", `/order/${first}/cancel`);
    expect(await redemptionsOf("SHARED")).toBe(0);
    const second = await order(ada);
    expect((await attach(ada, second, "SHARED")).status).toBe(200);
    await ada.call("POST", `/order/${second}/cancel`);
    expect((await attach(bob, bobs, "SHARED")).status).toBe(200);
  });

  test("that many attach and return in parallel is counted right, and never below zero", async () => {
    await make({ code: "CHURN", percent: 10, maxRedemptions: 3 });
    await make({ code: "OTHER", percent: 10, maxRedemptions: 3 });
    const people = await Promise.all(Array.from({ length: 8 }, newPerson));
    const held = await Promise.all(
      people.map(async (person, index) => {
        for (let round = 0; round < 4; round++) {
          const id = await order(person);
          for (const code of index % 2 ? ["CHURN", "OTHER"] : ["OTHER", "CHURN"]) await attach(person, id, code);
          await person.call("POST", `/order/${id}/cancel`);
        }
        return attach(person, await order(person), "CHURN");
      }),
    );
    expect(held.filter(({ status }) => status === 200).length).toBe(3);
    expect(await redemptionsOf("CHURN")).toBe(3);
    expect(await redemptionsOf("OTHER")).toBe(0);
  });

  test("is limited to its orders per person, one by default, unlike the operator's free code", async () => {
    await make({ code: "FIRSTCARD", percent: 100 });
    const person = await newPerson();
    const buy = async (code: string) => {
      const id = await order(person);
      const answer = await attach(person, id, code);
      await person.call("PUT", `/order/${id}/confirm-payment`);
      const { status } = (await person.call("GET", `/order/${id}`)).body;
      // The state after create-card.
      if (status === "READY") {
        await service.runtime.db.update(orders).set({ status: "CARDCREATED" }).where(eq(orders.id, id));
      } else {
        await person.call("POST", `/order/${id}/cancel`);
      }
      return answer;
    };
    expect((await buy("FIRSTCARD")).status).toBe(200);
    expect(await buy("FIRSTCARD")).toEqual(used);
    await make({ code: "TWICE", percent: 100, perUser: 2 });
    expect([await buy("TWICE"), await buy("TWICE"), await buy("TWICE")].map(({ status }) => status)).toEqual([
      200, 200, 422,
    ]);
    await make({ code: "ALWAYS", percent: 100, perUser: "unlimited" });
    for (let cards = 0; cards < 3; cards++) expect((await buy("ALWAYS")).status).toBe(200);
    expect(await redemptionsOf("ALWAYS")).toBe(3);
    for (let cards = 0; cards < 3; cards++) {
      expect(await buy("OnTheHouse")).toEqual({ status: 200, body: { couponCode: "ONTHEHOUSE" } });
    }
    await make({ code: "ONTHEHOUSE", percent: 50, maxRedemptions: 2 });
    expect([await buy("ONTHEHOUSE"), await buy("ONTHEHOUSE")].map(({ status }) => status)).toEqual([200, 200]);
    await service.runtime.db.update(coupons).set({ active: false }).where(eq(coupons.code, "ONTHEHOUSE"));
    expect(await buy("ONTHEHOUSE")).toEqual(invalid);
    const whole = { percent: 100, active: true, redemptions: 0, redemptionsMax: 2 };
    await service.runtime.db.update(coupons).set(whole).where(eq(coupons.code, "ONTHEHOUSE"));
    const cards = [await buy("ONTHEHOUSE"), await buy("ONTHEHOUSE"), await buy("ONTHEHOUSE")];
    expect(cards.map(({ status }) => status)).toEqual([200, 200, 422]);
    expect(await redemptionsOf("ONTHEHOUSE")).toBe(2);
  });
});

describe("a referral code from the sign-up", () => {
  const referred = async (referralCouponCode: string) => {
    const person = await (await new Person(service).signIn()).signUp({ referralCouponCode });
    await person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome: "approved" });
    return person;
  };

  test("applies before any other; the better one counts, the last one is shown", async () => {
    await make({ code: "FRIEND", percent: 40 });
    await make({ code: "LITTLE", percent: 5 });
    await make({ code: "MUCH", percent: 60 });
    const person = await referred("friend");
    const created = await person.call("POST", "/order/create", { personalizationSource: "KYC" });
    expect(created.body).toMatchObject({ couponCode: "FRIEND", totalDiscountEUR: 12.09 });
    const { id } = created.body;
    await attach(person, id, "LITTLE");
    expect(await totalsOf(person, id)).toMatchObject({ couponCode: "LITTLE", totalDiscountEUR: 12.09 });
    await attach(person, id, "MUCH");
    expect(await totalsOf(person, id)).toMatchObject({ couponCode: "MUCH", totalDiscountEUR: 18.14 });
    expect(await redemptionsOf("FRIEND")).toBe(1);
  });

  test("that is not a valid coupon is ignored", async () => {
    await make({ code: "GONE", percent: 40, maxRedemptions: 1 });
    const first = await referred("GONE");
    expect(await totalsOf(first, await order(first))).toMatchObject({ couponCode: "GONE" });
    for (const code of ["GONE", "NOBODY", "", "' or 1=1"]) {
      const person = await referred(code);
      expect(await totalsOf(person, await order(person))).toEqual(undiscounted);
    }
  });
});
