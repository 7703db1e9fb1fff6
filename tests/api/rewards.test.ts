import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tokens } from "@cardkeep/chain/tokens";
import { Person } from "../support/person.ts";
import { type RunningService, type Service, startService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const rewards = async (person: Person) => shortOf(await person.call("GET", "/rewards"));
const cashback = async (person: Person) => shortOf(await person.call("GET", "/cashback"));
const ok = (body: object) => ({ status: 200, body });

describe("a service without a cashback programme", () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await shareService({ worker: false });
  });

  test("gives no cashback, to a user without a Safe too", async () => {
    const person = await (await new Person(service).signIn()).signUp();
    expect(await rewards(person)).toEqual(ok({ isOg: false, gnoBalance: 0, cashbackRate: 0 }));
    expect(await cashback(person)).toEqual(ok({ isOg: false, gnoBalance: "0", cashbackRate: 0, weeklyCapUsd: 0 }));
  });

  test("needs a user", async () => {
    for (const person of [new Person(service), await new Person(service).signIn()]) {
      const unauthorized = { status: 401, body: { message: "Unauthorized" } };
      expect([await rewards(person), await cashback(person)]).toEqual([unauthorized, unauthorized]);
    }
  });
});

describe("a service with a cashback programme", () => {
  let service: Service;
  let person: Person;
  let safe: string;
  beforeAll(async () => {
    const env = {
      CASHBACK_TOKEN_ADDRESS: tokens.USDCe.address,
      CASHBACK_BADGE_ADDRESS: tokens.GBPe.address.toLowerCase(),
      CASHBACK_WEEKLY_CAP_USD: "700",
    };
    service = await startService({ env });
    person = new Person(service);
    safe = await person.becomeAccountHolder();
  });
  afterAll(() => service.stop());

  const give = (address: string, token: string, amount: string) =>
    person.sandbox("POST", "/chain/faucet", { address, token, amount });

  test("gives the rate of the Safe's tokens, tier by tier", async () => {
    expect(await cashback(person)).toEqual(ok({ isOg: false, gnoBalance: "0", cashbackRate: 0, weeklyCapUsd: 700 }));
    const steps = [
      ["99999", 0.099999, 0],
      ["1", 0.1, 1],
      ["900000", 1, 2],
      ["11500000", 12.5, 3],
      ["87500000", 100, 4],
      ["1", 100.000001, 4],
    ] as const;
    for (const [amount, gnoBalance, cashbackRate] of steps) {
      await give(safe, "USDCe", amount);
      expect(await rewards(person)).toEqual(ok({ isOg: false, gnoBalance, cashbackRate }));
      const reported = { isOg: false, gnoBalance: String(gnoBalance), cashbackRate, weeklyCapUsd: 700 };
      expect(await cashback(person)).toEqual(ok(reported));
    }
  });

  test("shows the badge's bonus separately, in any wallet of the user", async () => {
    const another = await (await new Person(service).signIn()).signUp();
    await give(another.account.address, "USDCe", "1000000");
    await give(another.account.address, "GBPe", "1");
    expect(await rewards(another)).toEqual(ok({ isOg: true, gnoBalance: 0, cashbackRate: 0 }));
    expect((await cashback(another)).body).toMatchObject({ isOg: true, cashbackRate: 1 });
    await give(safe, "GBPe", "1");
    expect((await rewards(person)).body).toMatchObject({ isOg: true, cashbackRate: 4 });
    expect((await cashback(person)).body).toMatchObject({ isOg: true, cashbackRate: 5 });
    expect(await person.trpc().rewards.cashback.query()).toMatchObject({ isOg: true, cashbackRate: 5 });
  });
});
