import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { development } from "@cardkeep/runtime/development";
import { operatorRoles } from "@cardkeep/domain/core/actor";
import { createContext } from "@cardkeep/domain/core/context";
import { eraseUser } from "@cardkeep/domain/users/users/eraseUser";
import { backtestRule } from "@cardkeep/domain/cards/ruleChanges/backtestRule";
import { listCountedDays } from "@cardkeep/db/queries/operations/figures";
import { countDueDays, recounting } from "@cardkeep/domain/operations/figures/countFigures";
import { writeRule } from "@cardkeep/domain/cards/ruleChanges/writeRule";
import { findVerbRow, type OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import { formRoutes, pageRoutes } from "@cardkeep/server/operator/routes";
import { users } from "@cardkeep/db/schema/tables";
import { findAxeFaults, looks, shortenLists } from "../support/axe.ts";
import { type Browser, hasBrowser, startBrowser } from "../support/browser.ts";
import { findPaymentId, openTestCase } from "../support/cases.ts";
import { askCli } from "../support/cli.ts";
import { filled } from "../support/filled.ts";
import {
  atIssuer,
  becomeCardHolder,
  type CardHolder,
  cent,
  historyOf,
  untilSettled,
  use,
} from "../support/spending.ts";
import { becomeIbanHolder } from "../support/ibans.ts";
import { OperatorBrowser, pagesOf, signInWithKey } from "../support/operatorPages.ts";
import { order } from "../support/orders.ts";
import { type Service, startService } from "../support/service.ts";
import { openTwoPersons } from "../support/twoPersons.ts";
import { findWallColumns, findWallInstants } from "../support/wallTimes.ts";
import { awaitAttempts, publishEvents, registerPartner, subscribe } from "../support/webhooks.ts";

let service: Service;
/** What an admin finds: one address of each page that links lead to, by its pattern. */
let found: Map<string, string>;
/** When the clock was moved, by the wall clock: only later than that does every row have the moved clock's time. */
let movedAt: Date;
let holder: CardHolder;
let browser: Browser;
const movedSeconds = 10 * 86_400;

beforeAll(async () => {
  service = await startService();
  await fetch(`${service.sandboxUrl}/chain/advance`, {
    method: "POST",
    body: JSON.stringify({ seconds: movedSeconds }),
  });
  movedAt = new Date();
  holder = await becomeCardHolder(service);
  const { person } = holder;
  await registerPartner(person, "shop");
  await subscribe(person, "shop");
  await publishEvents(service.runtime, person.userId, 1);
  await awaitAttempts(person, "shop", 1);
  const { threadId } = await use(holder, 500);
  await order(person);
  await becomeIbanHolder(person);
  await untilSettled(service);
  await askCli(service, "books", "close");
  await askCli(service, "treasury", "fund", "5");
  await openTestCase(service, { userId: person.userId ?? "", paymentId: await findPaymentId(service, threadId) });
  await person.call("POST", `/transactions/${threadId}/dispute`, { disputeReason: "wrong_value" });
  await createContext(service.runtime.services, { log: service.runtime.log, requestId: "rule" }).commit((work) =>
    writeRule(work, {
      scope: "programme",
      subjectId: null,
      userId: null,
      owner: "operator",
      ownerId: null,
      name: "No gambling",
      definition: { conditions: [{ type: "mcc", operator: "in", values: ["7995"] }] },
      state: "SHADOW",
    }),
  );
  const tokenAddress = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";
  const withdrawal = await person.signWithdrawal({ tokenAddress, to: person.account.address, amount: String(cent) });
  await person.call("POST", "/accounts/withdraw", withdrawal);
  const two = await openTwoPersons(service.runtime, ["users.erase"]);
  await two.ask((ada) => eraseUser(ada, { reference: person.userId ?? "" }));
  await countFiguresNow();
  found = (await crawl(await signInWithKey(service.url))).pages;
  if (hasBrowser) browser = await startBrowser();
});
afterAll(async () => {
  if (hasBrowser) await browser.close();
  await service.stop();
});

const isStopped = () => false;
const figuresContext = () =>
  createContext(service.runtime.services, { log: service.runtime.log, requestId: "figures" });
/** As a worker does every few minutes. */
const countFiguresNow = (): Promise<void> =>
  countDueDays(figuresContext(), { isStopped, again: { ...recounting, quietMs: 0, busyMs: 0 } });

const findPattern = (path: string, routes: object): string | undefined =>
  Object.keys(routes).find(
    (pattern) =>
      pattern === path || (new RegExp(`^${pattern.replaceAll(/:\w+/g, "[^/]+")}$`).test(path) && !(path in routes)),
  );

/** Follows the links of every page, opens each page once, and collects the forms. */
async function crawl(cookie: string): Promise<{ pages: Map<string, string>; forms: Set<string> }> {
  const pages = new Map<string, string>();
  const forms = new Set<string>();
  const next = ["/operator"];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    const pattern = findPattern(path, pageRoutes);
    if (pattern === undefined || pages.has(pattern)) continue;
    pages.set(pattern, path);
    const answer = await fetch(service.url + path, { headers: { Cookie: cookie }, redirect: "manual" });
    const page = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${page.slice(0, 500)}`);
    const read = (pattern: RegExp): string[] => [...page.matchAll(pattern)].map((match) => decodeURI(match[1] ?? ""));
    next.push(...read(/href="(\/operator[^"?#]*)/g));
    for (const action of read(/<form[^>]* method="post" action="(\/operator[^"?#]*)/g))
      forms.add(findPattern(action, formRoutes) ?? action);
  }
  return { pages, forms };
}

/** The faults of the open page, each once with the looks that have it. */
async function findFaults(page: string, asked: readonly (typeof looks)[number][] = looks): Promise<string[]> {
  const where = new Map<string, string[]>();
  for (const look of asked) {
    for (const fault of await findAxeFaults(browser, look)) {
      where.set(fault, [...(where.get(fault) ?? []), `${look.scheme} ${look.width}`]);
    }
  }
  return [...where].map(([fault, seen]) => `${page} (${seen.join(", ")}): ${fault}`);
}

test("links lead to every page of the operator's", () => {
  expect([...found.keys()].sort()).toEqual(Object.keys(pageRoutes).sort());
});

describe("figures of the programme", () => {
  const readCsv = async (query: string): Promise<Record<string, string>[]> => {
    const answer = await fetch(`${service.url}/operator/figures?format=csv&table=figures${query}`, {
      headers: { Cookie: await signInWithKey(service.url) },
    });
    const [head = "", ...lines] = (await answer.text()).trim().split("\r\n");
    // Heads with a comma are in quotation marks; no value is.
    const names = [...head.matchAll(/"([^"]+)"|([^,]+)/g)].map((match) => match[1] ?? match[2] ?? "");
    return lines.map((line) => Object.fromEntries(line.split(",").map((value, place) => [names[place], value])));
  };

  test("the day, the week and the month have what people did, and a second count adds nothing", async () => {
    const today = (await service.runtime.clock.now(service.runtime.db)).toISOString().slice(0, 10);
    await countFiguresNow();
    await Promise.all([countFiguresNow(), countFiguresNow()]);
    const { db } = service.runtime;
    const people = await db.$count(users);
    for (const [query, from] of [
      ["", today],
      ["&period=month", `${today.slice(0, 8)}01`],
    ] as const) {
      const [newest, ...older] = filled(await readCsv(query));
      expect(older.length).toBe(0);
      expect(newest).toMatchObject({
        From: from,
        To: today,
        "Sign-ups": String(people),
        Activated: "1",
        "Active cards": "1",
        Approved: "1",
        Declined: "0",
        "Approval rate": "100.0 %",
      });
    }
    const page = await fetch(`${service.url}/operator/figures`, {
      headers: { Cookie: await signInWithKey(service.url) },
    });
    // A date breaks at its hyphens where nothing holds it together.
    expect(await page.text()).toContain(`<span class="whole">${today}</span>`);
  });

  test("of a quiet day are read again after a minute, and of a busy one after five", async () => {
    const ctx = figuresContext();
    const { db } = service.runtime;
    await countFiguresNow();
    const [{ day: today } = { day: "" }] = await listCountedDays(db, 1);
    // Some minutes later it may be the next day.
    const readAt = async () =>
      (await listCountedDays(db, 2)).find(({ day }) => day === today)?.countedAt.getTime() ?? 0;
    const counted = await readAt();
    /** When the day was read after another look, so long after the count. */
    const lookAfter = async (ms: number, again = recounting): Promise<number> => {
      const now = async () => new Date(counted + ms);
      await countDueDays({ ...ctx, clock: { ...ctx.clock, now } }, { isStopped, again });
      return (await readAt()) - counted;
    };
    const busy = { ...recounting, quietPaymentsMax: 0 };
    expect(await lookAfter(59_000)).toBe(0);
    expect(await lookAfter(299_000, busy)).toBe(0);
    expect(await lookAfter(60_000)).toBe(60_000);
    expect(await lookAfter(360_000, busy)).toBe(360_000);
  });
});

describe("after the clock was moved", () => {
  /** Proofs of life, repetitions at the node, and what belongs to access tokens keep to the wall clock. */
  const ofWallClock = /^(chores|setting_keys|signer_reports|removed_sign_in_wallets)\.|\.(gathering_until|resent_at)$/;

  test("every row has the moved clock's time, but for proofs of life and what belongs to tokens", async () => {
    const columns = await findWallColumns(service.runtime.db, movedAt);
    expect(columns).toContain("chores.succeeded_at");
    expect(columns.filter((column) => !ofWallClock.test(column))).toEqual([]);
  });

  test("every list that filters by time counts what just happened as before its now, and as after the move", async () => {
    const now = await service.runtime.clock.now(service.runtime.db);
    const moved = new Date(movedAt.getTime() + movedSeconds * 1000);
    const count = async (query: string): Promise<number> => (await historyOf(holder, query)).count;
    const [all, ...parts] = await Promise.all(
      ["", `?before=${now.toISOString()}`, `?after=${moved.toISOString()}`, `?after=${now.toISOString()}`].map(count),
    );
    expect(all).toBeGreaterThan(0);
    expect(parts).toEqual([all ?? 0, all ?? 0, 0]);

    const listAtIssuer = async (kind: string, range: string, at: Date): Promise<number> => {
      const query = `created[${range}]=${Math.floor(at.getTime() / 1000)}&limit=100`;
      return (await atIssuer(service, `/v1/issuing/${kind}?${query}`, null)).data.length;
    };
    for (const kind of ["authorizations", "cards", "cardholders"]) {
      expect([kind, (await listAtIssuer(kind, "gte", moved)) > 0, await listAtIssuer(kind, "lt", moved)]).toEqual([
        kind,
        true,
        0,
      ]);
    }

    const [from, until] = [moved, new Date(now.getTime() + 60_000)].map((at) => at.toISOString().slice(0, 16));
    const preview = await fetch(
      `${service.url}/operator/deliveries/resend?partner=shop&from=${from}&until=${until}&all=yes`,
      {
        headers: { Cookie: await signInWithKey(service.url) },
      },
    );
    expect(await preview.text()).toContain("Would be sent again: ");

    const test = await backtestRule(
      service.runtime.services,
      {
        definition: { conditions: [{ type: "mcc", operator: "in", values: ["5812"] }] },
        subject: { scope: "programme", subjectId: null, userId: null },
      },
      { days: 1, budgetMs: null },
    );
    expect(test.payments).toBeGreaterThan(0);
    expect(test.since.getTime()).toBeGreaterThan(Date.now());
  });

  test("no page, desk or answer shows the wall clock's time", async () => {
    const { person } = holder;
    const cookie = await signInWithKey(service.url);
    const console = await (await fetch(service.sandboxUrl)).text();
    const desks = [...new Set(console.match(/\/\?desk=[a-z]+/g))];
    const addresses = [
      ...[...found.values()].map((path) => service.url + path),
      ...desks.map((path) => service.sandboxUrl + path),
    ];
    const shown = await Promise.all(
      addresses.map(async (url) => [url, await (await fetch(url, { headers: { Cookie: cookie } })).text()] as const),
    );
    const paths = [
      "/user",
      "/cards",
      "/order/",
      "/cards/transactions",
      "/delay-relay",
      "/ibans/orders",
      "/safe/config",
    ];
    const answers = await Promise.all(
      paths.map(async (path) => [path, JSON.stringify((await person.call("GET", path)).body)] as const),
    );
    const faults = [...shown, ...answers].flatMap(([where, text]) =>
      findWallInstants(text, movedAt).map((instant) => `${where}: ${instant}`),
    );
    expect(faults).toEqual([]);
    const isOperators = (url: string): boolean => url.startsWith(`${service.url}/operator`);
    const unclear = shown.filter(([url, text]) => isOperators(url) && !text.includes("+10 d ahead of the wall clock"));
    expect(unclear.map(([url]) => url)).toEqual([]);
    expect(answers.filter(([, text]) => /20\d{2}-\d{2}-\d{2}T/.test(text)).length).toBeGreaterThan(2);
  });
});

/** Who signs in at the sandbox's OpenID provider. */
const people = {
  viewer: "vera-viewer",
  support: "sam-support",
  compliance: "cora-compliance",
  finance: "fin-finance",
  admin: "ada-admin",
} as const;

/** Forms of the frame, for every operator. */
const unruled = ["/operator/sign-out"];

test.each([...operatorRoles])(
  "the pages of a %s link to all that this role may see, and offer no more",
  async (role) => {
    const browser = new OperatorBrowser();
    await browser.signIn(service, people[role]);
    const { pages, forms } = await crawl(browser.cookieOf(pagesOf(service)));
    const isAllowed = ([, { verb }]: [string, { verb: OperatorVerb }]): boolean =>
      findVerbRow(verb).roles.includes(role);
    const allowedPages = Object.entries(pageRoutes).filter(isAllowed);
    expect([...pages.keys()].sort()).toEqual(allowedPages.map(([pattern]) => pattern).sort());
    const allowedForms = Object.entries(formRoutes).filter(isAllowed);
    expect([...forms].filter((form) => !allowedForms.some(([pattern]) => pattern === form))).toEqual(unruled);
  },
);

test("each CSV is an action of its operator, and a viewer gets none", async () => {
  const exportAs = async (person: string): Promise<{ status: number; isOffered: boolean }> => {
    const browser = new OperatorBrowser();
    const { text } = await browser.signIn(service, person, "/operator/users");
    const { status } = await browser.send(`${pagesOf(service)}/operator/users?format=csv`);
    return { status, isOffered: text.includes("format=csv") };
  };
  expect(await exportAs(people.viewer)).toEqual({ status: 403, isOffered: false });
  expect(await exportAs(people.finance)).toEqual({ status: 200, isOffered: true });
  const log = await fetch(`${service.url}/operator/actions?verb=lists.export`, {
    headers: { Cookie: await signInWithKey(service.url) },
  });
  expect(await log.text()).toMatch(/Fin Finance[\s\S]*page: - → \/operator\/users/);
});

test.skipIf(!hasBrowser)(
  "in a browser, a viewer and an admin sign in, click into rooms, and sign out; the admin clicks into all, and into their first rows",
  async () => {
    await browser.startOver();
    const row = `main table a[href^="/operator/"]:not([href*="?"])`;
    const isComplete = `document.readyState === "complete" && document.querySelector("main h1") !== null`;
    // What the other roles find is tried above.
    for (const role of ["viewer", "admin"] as const) {
      await browser.open(`${pagesOf(service)}/operator`);
      await browser.click(".sign-in a");
      await browser.click(`button[value="${people[role]}"]`);
      await browser.waitFor(`${isComplete} && document.querySelector("nav") !== null`);
      const rooms = await browser.run(
        `[...document.querySelectorAll("${role === "admin" ? "nav a" : "nav li:first-child a"}")].map((link) => link.getAttribute("href"))`,
      );
      for (const room of filled(Array.isArray(rooms) ? rooms.map(String) : [])) {
        await browser.click(`nav a[href="${room}"]`);
        await browser.waitFor(`location.pathname === "${room}" && ${isComplete}`);
        const isRow = role === "admin" && (await browser.run(`document.querySelector('${row}') !== null`)) === true;
        if (!isRow) continue;
        await browser.click(row);
        await browser.waitFor(`location.pathname !== "${room}" && ${isComplete}`);
        expect(await browser.run(`document.querySelector("nav") !== null`)).toBe(true);
      }
      await browser.click("header .sign-out button");
      await browser.waitFor(`document.querySelector(".sign-in") !== null`);
    }
  },
);

test.skipIf(!hasBrowser)(
  "axe-core finds no fault on any page, in light or dark, on a desk or on a phone",
  async () => {
    await browser.startOver();
    await browser.open(`${service.url}/operator`);
    await browser.waitFor(`document.querySelector("#key") !== null`);
    const faults = await findFaults("the sign-in");
    await browser.run(`document.querySelector("details:has(#key)")?.setAttribute("open", "")`);
    await browser.run(`document.querySelector("#key").value = ${JSON.stringify(development.OPERATOR_API_KEY)}`);
    await browser.click("form:has(#key) button");
    await browser.waitFor(`document.querySelector("nav") !== null`);
    // All pages share one style, so each takes turns with dark and phone.
    const [first, ...others] = looks;
    for (const [index, path] of [...found.values()].entries()) {
      await browser.open(service.url + path);
      await browser.waitFor(`location.pathname === ${JSON.stringify(path)} && document.readyState === "complete"`);
      await shortenLists(browser);
      faults.push(...(await findFaults(path, [first, ...others.filter((_, turn) => turn === index % 2)])));
    }
    expect(faults).toEqual([]);
  },
  180_000,
);
