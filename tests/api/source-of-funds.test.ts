import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { events, questionSets, sourceOfFunds, users } from "@cardkeep/db/schema/tables";
import { setQuestions } from "@cardkeep/domain/verification/sourceOfFunds/setQuestions";
import { and, eq } from "drizzle-orm";
import fc from "fast-check";
import { operatorOf } from "../support/operator.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

interface Asked {
  question: string;
  answers: string[];
}

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());
afterEach(async () => {
  await service.runtime.db.delete(questionSets);
});

const newPerson = async () => (await new Person(service).signIn()).signUp();
const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const submitted = { status: 200, body: { message: "Source of funds submitted" } };
const refused = (error: string) => ({ status: 422, body: { error } });

const ask = async (person: Person, locale?: string): Promise<Asked[]> =>
  (await person.call("GET", `/source-of-funds${locale === undefined ? "" : `?locale=${locale}`}`)).body;
const submit = async (person: Person, answers: unknown) =>
  shortOf(await person.call("POST", "/source-of-funds", answers));
const choose = (asked: readonly Asked[], pick: (answers: string[], index: number) => string | undefined) =>
  asked.map(({ question, answers }, index) => ({ question, answer: pick(answers, index) ?? "" }));
const isAnswered = async (person: Person) => (await person.call("GET", "/user")).body.isSourceOfFundsAnswered;
const riskOf = async (person: Person) => {
  const [row] = await service.runtime.db
    .select()
    .from(users)
    .where(eq(users.id, person.userId ?? ""));
  return row?.sourceOfFundsRisk;
};
const eventsOf = (person: Person) =>
  service.runtime.db
    .select()
    .from(events)
    .where(and(eq(events.userId, person.userId ?? ""), eq(events.eventType, "kyc.source-of-funds.changed")));

describe("source of funds", () => {
  test("six questions, whose first answers pass; the answers are stored, with one event", async () => {
    const person = await newPerson();
    const asked = await ask(person);
    expect(asked).toHaveLength(6);
    expect(await isAnswered(person)).toBe(false);
    const answers = choose(asked, ([first]) => first);
    expect(await submit(person, answers)).toEqual(submitted);
    expect(await isAnswered(person)).toBe(true);
    expect(await riskOf(person)).toBe("green");
    const kept = await service.runtime.db
      .select()
      .from(sourceOfFunds)
      .where(eq(sourceOfFunds.userId, person.userId ?? ""));
    expect(kept).toMatchObject([{ answers, risk: "green" }]);
    expect(await eventsOf(person)).toMatchObject([{ data: { id: person.userId, isSourceOfFundsAnswered: true } }]);
  });

  test("amounts are shown in the locale's currency, and accepted in any", async () => {
    const person = await newPerson();
    const income = async (locale?: string) =>
      (await ask(person, locale)).find(({ question }) => question.includes("income"))?.answers.slice(0, 2);
    expect(await income()).toEqual(["Up to €25,000", "€25,000 to €50,000"]);
    for (const locale of ["UK", "GB", "gb", "en-GB", "en_gb"]) {
      expect(await income(locale)).toEqual(["Up to £20,000", "£20,000 to £40,000"]);
    }
    for (const locale of ["BR", "pt-BR"])
      expect(await income(locale)).toEqual(["Up to R$150.000", "R$150.000 to R$300.000"]);
    expect(await income("US")).toEqual(["Up to US$25,000", "US$25,000 to US$50,000"]);
    for (const locale of ["DE", "XX", "", "..%2F"])
      expect(await income(locale)).toEqual(["Up to €25,000", "€25,000 to €50,000"]);
    const everyQuestion = (await ask(person)).map(({ question }) => question);
    for (const locale of [undefined, "UK", "BR", "US", "CH"]) {
      const asked = await ask(person, locale);
      expect(asked.map(({ question }) => question)).toEqual(everyQuestion);
      expect(asked.every(({ answers }) => new Set(answers).size === answers.length)).toBe(true);
      expect(JSON.stringify(asked)).not.toMatch(/[{]\d/);
      expect(
        await submit(
          await newPerson(),
          choose(asked, (answers) => answers.at(-1)),
        ),
      ).toEqual(submitted);
    }
    for (const locale of ["x".repeat(36), "%00"]) {
      const answer = await person.call("GET", `/source-of-funds?locale=${locale}`);
      expect(shortOf(answer)).toEqual(refused("locale is invalid"));
    }
  });

  test("every choice of offered answers is accepted, and scored by its worst answer", async () => {
    const person = await newPerson();
    const asked = await ask(person);
    await fc.assert(
      fc.asyncProperty(fc.tuple(...asked.map(({ answers }) => fc.nat({ max: answers.length - 1 }))), async (picks) => {
        const other = await newPerson();
        const answers = choose(asked, (offered, index) => offered[picks[index] ?? 0]);
        expect(await submit(other, answers)).toEqual(submitted);
        const chosen = answers.map(({ answer }) => answer);
        const red = ["Gambling", "Payments for somebody else", "Yes"];
        const expected = chosen.some((answer) => red.includes(answer))
          ? "red"
          : expect.stringMatching(/^(green|orange)$/);
        expect(await riskOf(other)).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  test("no answer of the API shows the score", async () => {
    const person = await newPerson();
    await submit(
      person,
      choose(await ask(person), (answers) => answers.at(-1)),
    );
    expect(await riskOf(person)).toBe("red");
    const user = await person.call("GET", "/user");
    const published = await eventsOf(person);
    for (const reported of [user.body, ...published.map(({ data }) => data), await ask(person)]) {
      expect(JSON.stringify(reported)).not.toMatch(/risk|"(green|orange|red)"/i);
    }
  });

  test("new answers never improve the score, and the same answers cause no event", async () => {
    const person = await newPerson();
    const asked = await ask(person);
    const worst = choose(asked, (answers) => answers.at(-1));
    const best = choose(asked, ([first]) => first);
    await Promise.all(Array.from({ length: 5 }, () => submit(person, worst)));
    expect(await eventsOf(person)).toHaveLength(1);
    expect(await submit(person, best)).toEqual(submitted);
    expect(await riskOf(person)).toBe("red");
    expect(await eventsOf(person)).toHaveLength(2);
  });

  test("refuses answers that are unknown, not offered, missing or repeated, and stores none", async () => {
    const person = await newPerson();
    const asked = await ask(person);
    const answers = choose(asked, ([first]) => first);
    const [first = { question: "", answer: "" }, ...rest] = answers;
    const incomplete = refused("Every question has to be answered once");
    expect(await submit(person, [{ ...first, question: `${first.question} ` }, ...rest])).toEqual(
      refused("Unknown question"),
    );
    expect(await submit(person, [...answers, { question: "constructor", answer: "x" }])).toEqual(
      refused("Unknown question"),
    );
    for (const answer of ["", first.answer.toLowerCase(), rest[0]?.answer, "__proto__", "{25000}", "Up to {25000}"]) {
      expect(await submit(person, [{ ...first, answer }, ...rest])).toEqual(refused("Unknown answer"));
    }
    expect(await submit(person, rest)).toEqual(incomplete);
    expect(await submit(person, [])).toEqual(incomplete);
    expect(await submit(person, [...answers, first])).toEqual(incomplete);
    expect(await submit(person, [first, first, ...rest.slice(1)])).toEqual(incomplete);
    expect(await submit(person, [{ question: first.question }])).toEqual(refused("0.answer is missing"));
    expect(await submit(person, [{ question: 1, answer: "x" }])).toEqual(refused("0.question is invalid"));
    for (const body of [{}, { question: "x", answer: "y" }, "text", 7, null]) {
      expect(await submit(person, JSON.stringify(body))).toEqual(refused("Invalid request body"));
    }
    expect(await submit(person, undefined)).toEqual(refused("Invalid request body"));
    expect(shortOf(await person.call("POST", "/source-of-funds", "[{"))).toEqual({
      status: 400,
      body: { error: "Invalid JSON" },
    });
    expect(await isAnswered(person)).toBe(false);
    expect(await eventsOf(person)).toEqual([]);
  });

  test("needs a user", async () => {
    for (const person of [new Person(service), await new Person(service).signIn()]) {
      for (const method of ["GET", "POST"]) {
        const answer = await person.call(method, "/source-of-funds", method === "GET" ? undefined : "[]");
        expect(shortOf(answer)).toEqual({ status: 401, body: { message: "Unauthorized" } });
      }
    }
  });

  test("tRPC asks and accepts the same", async () => {
    const person = await newPerson();
    const asked = await person.trpc().kyc.questions.query({ locale: "BR" });
    expect(asked).toEqual(await ask(person, "BR"));
    const answers = choose(asked, ([first]) => first);
    expect(await person.trpc().kyc.answer.mutate(answers)).toEqual({ message: "Source of funds submitted" });
    const failed = await person
      .trpc()
      .kyc.answer.mutate([])
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ data: { error: "sourceOfFunds.incomplete", httpStatus: 422 } });
  });
});

describe("the operator's questions", () => {
  const colour = {
    question: "Your favourite colour?",
    answers: [
      { text: "Blue", risk: "green" },
      { text: "More than {1000} shades of it", risk: "orange" },
      { text: "No, yellow", risk: "red" },
    ],
  };

  test("replace the service's own from then on", async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const before = await ask(ada);
    await submit(
      ada,
      choose(before, ([first]) => first),
    );
    await setQuestions(operatorOf(service.runtime), [colour]);
    expect(await ask(bob, "UK")).toEqual([
      { question: "Your favourite colour?", answers: ["Blue", "More than £800 shades of it", "No, yellow"] },
    ]);
    expect(
      await submit(
        bob,
        choose(before, ([first]) => first),
      ),
    ).toEqual(refused("Unknown question"));
    expect(await submit(bob, [{ question: colour.question, answer: "More than €1,000 shades of it" }])).toEqual(
      submitted,
    );
    expect([await riskOf(ada), await riskOf(bob)]).toEqual(["green", "orange"]);
    expect(await isAnswered(ada)).toBe(true);
  });

  test("are refused if no one could pass, or if a text is ambiguous", async () => {
    const [blue, shades, yellow] = colour.answers;
    const bad = [
      [],
      [{ ...colour, answers: [] }],
      [{ ...colour, answers: [yellow, blue] }],
      [{ ...colour, answers: [blue, blue] }],
      [{ ...colour, answers: [blue, shades, { text: "More than £800 shades of it", risk: "red" }] }],
      [colour, colour],
      [{ ...colour, answers: [{ text: "Blue", risk: "purple" }] }],
      { questions: [colour] },
    ];
    for (const questions of bad) {
      const refusal = await setQuestions(operatorOf(service.runtime), questions).catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        code: "sourceOfFunds.invalid_questions",
        message: expect.stringMatching(/^[\w.]+: ./),
      });
    }
    expect(await ask(await newPerson())).toHaveLength(6);
  });
});
