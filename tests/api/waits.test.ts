import { afterAll, beforeAll, expect, test } from "bun:test";
import { cardEnvelopes } from "@cardkeep/db/schema/tables";
import { createWaits } from "@cardkeep/domain/core/waits";
import { eq } from "drizzle-orm";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

/** The worker's result for an envelope that it cannot decrypt. */
const opened = { outcome: "unreadable", encryptedKey: null, encryptedData: null, iv: null } as const;

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

test("two requests of a user wait in parallel; a third is 503 with Retry-After and writes nothing, and other users wait", async () => {
  const [ada, bob] = [new Person(service), new Person(service)];
  for (const person of [ada, bob]) await (await person.signIn()).signUp();
  const verify = (person: Person) =>
    person.call("POST", "/cards/verify", { encryptedPan: "AAAA", encryptedKey: "AAAA", iv: "AAAA" });
  const statuses: string[] = [];
  const asked = [ada, ada, ada, ada, ada, bob].map(async (person) => {
    const { status, headers } = await verify(person);
    statuses.push(`${status} ${headers.get("retry-after") ?? "-"}`);
  });
  await until(() => statuses.length === 3);
  expect(statuses).toEqual(Array.from({ length: 3 }, () => "503 5"));
  // Each answer 503 counts by what it met.
  expect(await service.runtime.metrics.render()).toContain('cardkeep_unavailable_total{limit="waiting-requests"} 3\n');
  const { db } = service.runtime;
  const countEnvelopes = async (person: Person) =>
    (
      await db
        .select()
        .from(cardEnvelopes)
        .where(eq(cardEnvelopes.userId, person.userId ?? ""))
    ).length;
  await until(async () => (await countEnvelopes(ada)) === 2 && (await countEnvelopes(bob)) === 1);
  await db.update(cardEnvelopes).set(opened);
  await Promise.all(asked);
  expect(statuses.slice(3)).toEqual(Array.from({ length: 3 }, () => "400 -"));
  const again = verify(ada);
  await until(async () => (await countEnvelopes(ada)) === 3);
  await db.update(cardEnvelopes).set(opened);
  expect((await again).status).toBe(400);
});

test("above the process's limit a request of any user is 503, and a finished one makes room", () => {
  const waits = createWaits({ perUserMax: 2, totalMax: 3 });
  const enter = (userId: string) => {
    const place = waits.enter(userId);
    return "fault" in place ? { fault: place.fault.code, leave: () => {} } : { fault: null, leave: place.leave };
  };
  const [first] = [enter("ada"), enter("ada")];
  expect(enter("ada").fault).toBe("server.unavailable");
  expect(enter("bob").fault).toBeNull();
  expect(enter("eve").fault).toBe("server.unavailable");
  first?.leave();
  expect(enter("eve").fault).toBeNull();
});

test("any number of waiting requests sends one query at a time; a failed query delays no other", async () => {
  const waits = createWaits({ perUserMax: 1, totalMax: 1 });
  let [running, most] = [0, 0];
  const question = async (index: number) => {
    most = Math.max(most, ++running);
    await Bun.sleep(0);
    running--;
    if (index % 2 === 0) throw new Error("refused");
    return index;
  };
  const answers = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => waits.ask(() => question(index))));
  expect(most).toBe(1);
  expect(answers.filter(({ status }) => status === "fulfilled").length).toBe(25);
});
