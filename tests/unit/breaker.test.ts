import { describe, expect, test } from "bun:test";
import { createBreaker } from "@cardkeep/providers/breaker";
import { ProviderPostponed, ProviderRefused, ProviderUnavailable, ProviderUnreadable } from "@cardkeep/providers/http";
import fc from "fast-check";

type Answer = "answered" | "refused" | "postponed" | "unreadable" | "unavailable";

/** A breaker around a partner with chosen answers, on a stopped clock. */
function createPartner() {
  let nowMs = 0;
  let calls = 0;
  const breaker = createBreaker("The partner", () => nowMs);
  return {
    wait: (ms: number) => {
      nowMs += ms;
    },
    calls: () => calls,
    ask: (answer: Answer): Promise<string> =>
      breaker(async () => {
        calls++;
        if (answer === "refused") throw new ProviderRefused(422, "no");
        if (answer === "postponed") throw new ProviderPostponed("not this one");
        if (answer === "unreadable") throw new ProviderUnreadable("not this one");
        if (answer === "unavailable") throw new ProviderUnavailable("nothing");
        return answer;
      }).catch((error: Error) => error.name),
  };
}

describe("a partner", () => {
  test.each(["refused", "postponed", "unreadable"] as const)(
    "whose answers are %s still gets calls",
    async (answer) => {
      const partner = createPartner();
      for (let made = 0; made < 10; made++) await partner.ask(answer);
      expect(partner.calls()).toBe(10);
      expect(await partner.ask("answered")).toBe("answered");
    },
  );

  test.each(["answered", "refused", "postponed", "unreadable"] as const)(
    "that %s a call in between has not left five in a row unanswered",
    async (between) => {
      const partner = createPartner();
      const asked = [...Array.from({ length: 4 }, () => "unavailable" as const), between, "unavailable" as const];
      for (const answer of asked) await partner.ask(answer);
      expect(await partner.ask("answered")).toBe("answered");
      expect(partner.calls()).toBe(7);
    },
  );

  test("that leaves five calls in a row unanswered gets no call for five seconds", async () => {
    const partner = createPartner();
    for (let index = 0; index < 5; index++) expect(await partner.ask("unavailable")).toBe("ProviderUnavailable");
    partner.wait(4_999);
    expect(await partner.ask("answered")).toBe("ProviderUnavailable");
    expect(partner.calls()).toBe(5);
    partner.wait(1);
    expect(await partner.ask("answered")).toBe("answered");
    expect(await partner.ask("answered")).toBe("answered");
    expect(partner.calls()).toBe(7);
  });

  test("gets one call after that, for any number of callers, and none again if it still does not answer", async () => {
    const partner = createPartner();
    for (let index = 0; index < 5; index++) await partner.ask("unavailable");
    partner.wait(5_000);
    await Promise.all(Array.from({ length: 10 }, () => partner.ask("unavailable")));
    expect(partner.calls()).toBe(6);
    partner.wait(4_999);
    await partner.ask("answered");
    expect(partner.calls()).toBe(6);
    partner.wait(1);
    expect(await partner.ask("answered")).toBe("answered");
  });

  test("that refuses has answered, and one that answers sometimes gets all calls", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom<Answer>("answered", "refused", "unavailable")), async (answers) => {
        const partner = createPartner();
        let inARow = 0;
        let asked = 0;
        for (const answer of answers) {
          const isAway = inARow >= 5;
          await partner.ask(answer);
          if (isAway) continue;
          asked++;
          inARow = answer === "unavailable" ? inARow + 1 : 0;
        }
        expect(partner.calls()).toBe(asked);
      }),
    );
  });
});
