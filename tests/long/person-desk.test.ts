/** The Person desk of the sandbox's console, as a person without code uses it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createElements } from "@cardkeep/sandbox/elements/app";
import { findAxeFaults, looks } from "../support/axe.ts";
import { type Browser, hasBrowser, startBrowser } from "../support/browser.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";

const phone = { width: 390, height: 844, scheme: "light" } as const;
const desk = { width: 1280, height: 900, scheme: "dark" } as const;

describe.skipIf(!hasBrowser)("a person without code", () => {
  let service: Service;
  let elements: ReturnType<typeof Bun.serve>;
  let browser: Browser;
  let origin: string;
  beforeAll(async () => {
    const [elementsPort = 0] = await findFreePorts(1);
    service = await startService({ env: { ELEMENTS_PORT: String(elementsPort) } });
    elements = Bun.serve({ hostname: "127.0.0.1", port: elementsPort, fetch: createElements(service.runtime).fetch });
    origin = service.sandboxUrl.replace("127.0.0.1", "localhost");
    browser = await startBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await elements.stop(true);
    await service.stop();
  });

  const quote = JSON.stringify;
  const buttonIn = (place: string, text: string) =>
    `[...document.querySelectorAll(${quote(`${place} button`)})].find((button) => button.textContent.trim() === ${quote(text)})`;
  /** A form sends nothing else while its answer is awaited, and the page may show the new state before that answer. */
  const pressIn = async (place: string, text: string) => {
    await browser.waitFor(
      `((button) => button !== undefined && button.form?.ariaBusy !== "true")(${buttonIn(place, text)})`,
    );
    await browser.run(`${buttonIn(place, text)}.click()`);
  };
  /** Opens a step, as its title does, and presses one of its buttons. */
  const press = async (step: string, text: string) => {
    await browser.run(`document.querySelector("#step-${step} details").open = true`);
    await pressIn(`#step-${step} .inside`, text);
  };
  const is = (step: string, state: string) =>
    browser.waitFor(`document.querySelector("#step-${step}")?.className === "step ${state}"`);
  const read = async (selector: string) =>
    String(await browser.run(`document.querySelector(${quote(selector)})?.innerText ?? ""`));
  const shows = (selector: string, text: string) =>
    browser.waitFor(`document.querySelector(${quote(selector)})?.textContent.includes(${quote(text)}) === true`);
  const isReady = () => browser.waitFor(`document.querySelector("#session")?.textContent !== ""`);
  const openDesk = async (query = "") => {
    await browser.open(`${origin}/?desk=person${query}`);
    await browser.waitFor(
      `location.search.includes(${quote(query)}) && document.querySelector("#keys button") !== null`,
    );
  };
  /** Signs in as a person whose key this page makes. */
  const signInAnew = async () => {
    await pressIn("#keys", "New person");
    await browser.waitFor(`location.search.includes("wallet=")`);
    await isReady();
    await is("signUp", "later");
    await press("signIn", "Sign in with the wallet");
    await is("signUp", "now");
  };
  const isNarrow = () => browser.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
  const takePicture = async (name: string) => {
    const folder = process.env["SCREENSHOTS"];
    if (folder !== undefined) await Bun.write(`${folder}/${name}.png`, await browser.takeScreenshot());
  };
  /** Of a place of the page: on a phone, and wide in both schemes. */
  const takePictures = async (name: string, place: string) => {
    if (process.env["SCREENSHOTS"] === undefined) return;
    const wide = { width: 1280, height: 1600 };
    for (const look of [phone, { ...wide, scheme: "light" }, { ...wide, scheme: "dark" }] as const) {
      await browser.emulate(look);
      await browser.run(`document.querySelector(${quote(place)}).scrollIntoView()`);
      await takePicture(`${name}-${look.width}-${look.scheme}`);
    }
    await browser.emulate(phone);
  };
  const deliveries = async () => {
    const user = await browser.run(`document.querySelector("#play").dataset.user`);
    const attempts = (await (await fetch(`${service.sandboxUrl}/inbox/sandbox`)).json()) as {
      body: string;
      verified: boolean;
    }[];
    return attempts
      .filter(({ body, verified }) => verified && body.includes(String(user)))
      .map(({ body }) => (JSON.parse(body) as { eventType: string }).eventType);
  };

  test("lives a whole life on a phone: from a new key to a used card, an executed withdrawal and delivered events", async () => {
    await browser.emulate(phone);
    await openDesk();
    expect(await findAxeFaults(browser, looks[2])).toEqual([]);
    await signInAnew();
    const name = await read(".who h2");
    await press("signUp", "Sign up");
    await is("terms", "now");
    // The mail address follows the name.
    expect(await read(".who .meta")).toContain("@example.org");
    await press("terms", "Accept all");
    await press("partner", "Sign and subscribe");
    await is("identity", "now");
    await press("identity", "Ask again");
    await is("identity", "failed");
    await press("identity", "Approve");
    await is("identity", "done");
    expect(await read("#step-identity")).toContain(name);
    await press("funds", "Send the answers");
    await press("phone", "Send the code and confirm it");
    await is("phone", "done");
    await press("safe", "Deploy the Safe");
    await is("safe", "done");

    // A reload continues where the service says that the person stands.
    await browser.run("location.reload()");
    await browser.waitFor(`document.readyState === "complete"`);
    await isReady();
    await is("money", "now");
    await browser.waitFor(`document.querySelector("#step-money details").open`);
    expect(await findAxeFaults(browser, looks[2])).toEqual([]);

    await press("money", "Mint");
    await is("money", "done");
    await press("card", "Get a virtual card");
    await is("card", "done");
    await press("pay", "Tap the card");
    await shows("#step-pay", "Approved");
    await press("pay", "Clear");
    await shows("#step-pay .rows output", "Done: 25.50 EUR.");
    await shows("#step-pay .rows", "cleared 25.50 EUR");
    await press("dispute", "Dispute the payment");
    await shows("#said-dispute", "Dispute submitted for review. Its status is");
    await press("element", "Show number and CVC");
    await shows("#step-element", "This page cannot read it");
    await browser.waitForInFrame(`/\\d{4} \\d{4} \\d{4} \\d{4}/.test(document.body.innerText)`);
    await press("iban", "Sign and request the IBAN");
    await is("iban", "done");
    await press("transfer", "Send the transfer");
    await is("transfer", "done");

    await press("withdraw", "Sign and withdraw");
    await is("withdraw", "waiting");
    await shows("#step-withdraw", "executes in");
    await takePicture("person-withdraw-phone");
    await press("withdraw", "Advance the clock three minutes");
    await is("withdraw", "done");
    await browser.waitFor(`document.querySelector(".balance").textContent.startsWith("1984.5")`);
    await shows("#step-partner", "account.withdrawal.completed");
    expect(await deliveries()).toEqual(expect.arrayContaining(["user.created", "account.withdrawal.completed"]));

    // The worker states a movement a little after the chain has it.
    await until(async () => {
      await press("statements", "Read it");
      await shows("#said-statements", "The request below has all of it");
      return (await read("#said-statements")).includes("and ends with 1984.50 EUR");
    });
    for (const [form, extension] of [
      ["csv", "csv"],
      ["camt053", "xml"],
      ["pdf", "pdf"],
    ]) {
      await browser.run(`{
        const format = document.querySelector("#step-statements select[name=format]");
        format.value = ${quote(form)};
        format.dispatchEvent(new Event("input", { bubbles: true }));
      }`);
      await press("statements", "Read it");
      await shows("#said-statements", `.${extension}.`);
    }
    await press("tokens", "Make it");
    await is("tokens", "done");
    await shows("#said-tokens", "ck_");
    await takePictures("bookkeeping", "#step-statements");
    await press("tokens", "Revoke");
    await shows("#said-tokens", "The token has ended");
    await shows("#step-tokens .rows", "revoked");

    // Every step shows its requests.
    await browser.run(`document.querySelector("#step-withdraw details").open = true`);
    const methods = `[...document.querySelectorAll("#step-withdraw .exchange .method")].map(({ textContent }) => textContent)`;
    expect(await browser.run(methods)).toContain("POST");
    expect(await findAxeFaults(browser, looks[0])).toEqual([]);
    await browser.emulate(phone);
    expect(await isNarrow()).toBe(true);
    expect(browser.takeErrors()).toEqual([]);
  }, 120_000);

  test("a form shows that its answer is awaited, sends nothing until then, and takes the next press", async () => {
    // The page of the person before would pass for that of the new one.
    await browser.startOver();
    await browser.emulate(phone);
    await openDesk();
    await signInAnew();
    await press("signUp", "Sign up");
    await is("signUp", "done");
    // The answer about a verdict comes later than the service has that verdict.
    await browser.run(`{
      const send = fetch;
      window.verdicts = [];
      window.fetch = async (url, init) => {
        const response = await send(url, init);
        if (!String(url).includes("/review")) return response;
        verdicts.push(JSON.parse(init.body).outcome);
        await new Promise((resolve) => (window.answer = resolve));
        return response;
      };
    }`);
    await press("identity", "Ask again");
    await is("identity", "failed");
    const busy = `document.querySelector("#step-identity form[aria-busy=true]") !== null`;
    expect(await browser.run(busy)).toBe(true);
    await browser.run(`${buttonIn("#step-identity .inside", "Approve")}.click()`);
    await browser.run("answer()");
    await browser.waitFor(`!(${busy})`);
    expect(await browser.run("verdicts")).toEqual(["resubmissionRequested"]);
    await press("identity", "Approve");
    await is("identity", "done");
    expect(await browser.run("verdicts")).toEqual(["resubmissionRequested", "approved"]);
  }, 120_000);

  test("imports a key on a desk-sized page, orders a physical card, and reads an error with its code", async () => {
    const options = { method: "POST", body: JSON.stringify({ balance: "100" }) };
    const made = (await (await fetch(`${service.sandboxUrl}/people`, options)).json()) as {
      id: string;
      privateKey: string;
    };
    await browser.emulate(desk);
    await openDesk(`&person=${made.id}`);
    await shows("#keys", "does not keep the key");
    const kept = Number(await browser.run(`document.querySelectorAll("#keys .chip").length`));
    await browser.run(`document.querySelector("#keys input[name=key]").value = ${quote(made.privateKey)}`);
    await browser.run(`document.querySelector("#keys form").requestSubmit()`);
    await browser.waitFor(`location.search.includes("wallet=")`);
    await isReady();
    // Several people are kept side by side.
    await browser.waitFor(`document.querySelectorAll("#keys .chip").length === ${kept + 1}`);
    await press("signIn", "Sign in with the wallet");
    await is("signIn", "done");
    await press("funds", "Send the answers");
    await press("phone", "Send the code and confirm it");
    await is("phone", "done");
    await press("card", "Order a physical card");
    await shows("#step-card .order", "30.23 EUR");
    for (const text of [
      "Attach the coupon",
      "Confirm the payment",
      "Make the card",
      "Have the post deliver it",
      "Activate",
    ])
      await press("card", text);
    await is("card", "done");
    // What a person types survives the updates of the page.
    await browser.run(`document.querySelector("#step-withdraw details").open = true`);
    await browser.run(`{
      const amount = document.querySelector("#step-withdraw input[name=amount]");
      amount.value = "1000000";
      amount.dispatchEvent(new Event("input", { bubbles: true }));
    }`);
    await press("money", "Mint");
    await browser.waitFor(`document.querySelector(".balance").textContent.startsWith("350")`);
    await press("withdraw", "Sign and withdraw");
    await shows("#said-withdraw", "accounts.insufficient_balance");
    const href = await browser.run(`document.querySelector("#said-withdraw a").href`);
    expect(href).toBe(`${service.runtime.settings.publicUrl}/docs/errors#error-accounts.insufficient_balance`);
    await takePicture("person-error-desk");
    expect(await findAxeFaults(browser, looks[1])).toEqual([]);
    expect(await isNarrow()).toBe(true);
    // The browser logs the refused request itself.
    expect(browser.takeErrors().filter((error) => !error.includes("422"))).toEqual([]);
  }, 120_000);
});
