import { afterAll, beforeAll, expect, test } from "bun:test";
import { development } from "@cardkeep/runtime/development";
import { pageRoutes } from "@cardkeep/server/operator/routes";
import { findAxeFaults, looks } from "../support/axe.ts";
import { type Browser, hasBrowser, startBrowser } from "../support/browser.ts";
import { becomeCardHolder, cent, untilSettled, use } from "../support/spending.ts";
import { order } from "../support/orders.ts";
import { type Service, startService } from "../support/service.ts";
import { awaitAttempts, publishEvents, registerPartner, subscribe } from "../support/webhooks.ts";

let service: Service;
let cookie: string;
/** One address of each page that links lead to, by its pattern. */
let found: Map<string, string>;

beforeAll(async () => {
  service = await startService();
  const holder = await becomeCardHolder(service);
  const { person } = holder;
  await registerPartner(person, "shop");
  await subscribe(person, "shop");
  await publishEvents(service.runtime, person.userId, 1);
  await awaitAttempts(person, "shop", 1);
  await use(holder, 500);
  await order(person);
  await untilSettled(service);
  const tokenAddress = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";
  const withdrawal = await person.signWithdrawal({ tokenAddress, to: person.account.address, amount: String(cent) });
  await person.call("POST", "/accounts/withdraw", withdrawal);
  const signedIn = await fetch(`${service.url}/operator/sign-in`, {
    method: "POST",
    headers: { Origin: service.url },
    body: new URLSearchParams({ key: development.OPERATOR_API_KEY }),
    redirect: "manual",
  });
  cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  found = await crawl();
});
afterAll(() => service.stop());

const patternOf = (path: string): string | undefined =>
  Object.keys(pageRoutes).find(
    (pattern) =>
      new RegExp(`^${pattern.replaceAll(/:\w+/g, "[^/]+")}$`).test(path) && (pattern === path || !(path in pageRoutes)),
  );

/** Follows the links of every page, and opens each page once. */
async function crawl(): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  const next = ["/operator"];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    const pattern = patternOf(path);
    if (pattern === undefined || known.has(pattern)) continue;
    known.set(pattern, path);
    const answer = await fetch(service.url + path, { headers: { Cookie: cookie }, redirect: "manual" });
    const page = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${page.slice(0, 500)}`);
    const links = [...page.matchAll(/href="(\/operator[^"?#]*)/g)].map((match) => match[1] ?? "");
    next.push(...links.map((link) => decodeURI(link)));
  }
  return known;
}

/** The faults of the open page, each once with the looks that have it. */
async function findFaults(browser: Browser, page: string): Promise<string[]> {
  const where = new Map<string, string[]>();
  for (const look of looks) {
    for (const fault of await findAxeFaults(browser, look)) {
      where.set(fault, [...(where.get(fault) ?? []), `${look.scheme} ${look.width}`]);
    }
  }
  return [...where].map(([fault, seen]) => `${page} (${seen.join(", ")}): ${fault}`);
}

test("links lead to every page of the operator's", () => {
  expect([...found.keys()].sort()).toEqual(Object.keys(pageRoutes).sort());
});

test.skipIf(!hasBrowser)("axe-core finds no fault on any page, light and dark, on a desk and on a phone", async () => {
  const browser = await startBrowser();
  try {
    await browser.open(`${service.url}/operator`);
    await browser.waitFor(`document.querySelector("#key") !== null`);
    const faults = await findFaults(browser, "the sign-in");
    await browser.run(`document.querySelector("#key").value = ${JSON.stringify(development.OPERATOR_API_KEY)}`);
    await browser.click("form:has(#key) button");
    await browser.waitFor(`document.querySelector("nav") !== null`);
    for (const path of found.values()) {
      await browser.open(service.url + path);
      await browser.waitFor(`location.pathname === ${JSON.stringify(path)} && document.readyState === "complete"`);
      faults.push(...(await findFaults(browser, path)));
    }
    expect(faults).toEqual([]);
  } finally {
    await browser.close();
  }
});
