import { beforeAll, expect, test } from "bun:test";
import { becomeEligible, createVirtual } from "../support/cards.ts";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

let service: RunningService;
beforeAll(async () => {
  service = await shareService();
});

test("a referrer code never changes, and counts who signed up with it and who of them has a card", async () => {
  const ada = await (await new Person(service).signIn()).signUp();
  const codes = await Promise.all([1, 2].map(() => ada.call("POST", "/user/referrer-code")));
  const { referrerCode } = codes[0]?.body ?? {};
  for (const { status, body } of codes) expect([status, body]).toEqual([200, { userId: ada.userId, referrerCode }]);
  const none = { isOgTokenHolder: false, pendingReferrals: 0, completedReferrals: 0 };
  expect((await ada.call("GET", "/user/referrals")).body).toEqual(none);

  const bob = await (await new Person(service).signIn()).signUp({ referralCouponCode: referrerCode.toLowerCase() });
  await (await new Person(service).signIn()).signUp({ referralCouponCode: "ANOTHER" });
  expect((await ada.call("GET", "/user/referrals")).body).toEqual({ ...none, pendingReferrals: 1 });
  await bob.sandbox("POST", `/kyc/${bob.userId}/review`, { outcome: "approved" });
  const eve = new Person(service);
  await (await eve.signIn()).signUp({ referralCouponCode: referrerCode });
  // The steps to a card include a sign-up.
  eve.signUp = async () => eve;
  await becomeEligible(eve);
  await createVirtual(eve);
  expect((await ada.call("GET", "/user/referrals")).body).toEqual({
    ...none,
    pendingReferrals: 1,
    completedReferrals: 1,
  });
  expect((await new Person(service).call("GET", "/user/referrals")).status).toBe(401);
}, 60_000);
