import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { events } from "@cardkeep/db/schema/tables";
import { createElements } from "@cardkeep/sandbox/elements/app";
import { and, eq } from "drizzle-orm";
import { fileURLToPath } from "node:url";
import { type Browser, hasBrowser, startBrowser } from "../support/browser.ts";
import { becomeEligible, createPhysical, createVirtual } from "../support/cards.ts";
import { guides } from "../support/guides.ts";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

/** An app that mounts the published client's elements and stores their messages. */
const page = `<!doctype html><title>App</title><h1>My card</h1><div id="card" style="height: 130px"></div>
  <script type="module">
    import GPSDK from "/sdk.js";
    Object.assign(window, { heard: [], raw: [] });
    addEventListener("message", ({ data }) => raw.push(data));
    window.mount = ({ elementType, cardToken, style, ...config }) => {
      window.client = new GPSDK({
        appId: "gp_test",
        ...config,
        onActionSuccess: (action) => heard.push(action),
        onInvalidToken: (message) => heard.push("invalid token: " + message),
        onError: (message, details) => heard.push("error: " + message + " " + (details.status ?? details.cause)),
      });
      client.init(elementType, "#card", { cardToken, style });
    };
  </script>`;

const sandboxOrigin = () => service.sandboxUrl.replace("127.0.0.1", "localhost");

/** The page that the guide about elements shows, with the addresses of this test. */
const readGuidePage = () =>
  (guides.find(({ slug }) => slug === "card-elements")?.blocks.find(({ language }) => language === "html")?.code ?? "")
    .replace('"@gnosispay/pse-sdk"', '"/sdk.js"')
    .replace("http://localhost:3001", sandboxOrigin())
    .replace("http://localhost:3002", origin);

let service: RunningService;
let elements: ReturnType<typeof Bun.serve>;
let app: ReturnType<typeof Bun.serve>;
let person: Person;
let cardToken: string;
let origin: string;
beforeAll(async () => {
  service = await shareService();
  elements = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: createElements(service.runtime).fetch });
  origin = `http://localhost:${elements.port}`;
  app = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      "/": () => new Response(page, { headers: { "Content-Type": "text/html" } }),
      "/guide": () => new Response(readGuidePage(), { headers: { "Content-Type": "text/html" } }),
      "/session": () => Response.json({ accessToken: person.token, cardToken }),
      "/kyc/:userId": ({ params: { userId } }) =>
        new Response(`<!doctype html><title>App</title><iframe src="${sandboxOrigin()}/kyc/flow/${userId}"></iframe>`, {
          headers: { "Content-Type": "text/html" },
        }),
      "/sdk.js": () => new Response(Bun.file(fileURLToPath(import.meta.resolve("@gnosispay/pse-sdk")))),
    },
  });
  person = await becomeEligible(new Person(service));
  await createVirtual(person);
  [{ cardToken }] = (await person.call("GET", "/cards")).body;
}, 120_000);
afterAll(async () => {
  await Promise.all([elements.stop(true), app.stop(true)]);
});

const issue = async (): Promise<string> => (await person.sandbox("GET", "/elements/token")).body.data.ephemeralToken;
const post = async (path: string, body: object, from = origin) => {
  const response = await fetch(`${origin}${path}`, {
    method: "POST",
    headers: { Origin: from },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};
const openFields = async (element: string) => ({
  element,
  ephemeralToken: await issue(),
  accessToken: person.token,
  cardToken,
});
const issued = async () => (await person.sandbox("GET", `/issuer/cards/${cardToken}`)).body;

test("an element opens its user's own card, once per ephemeral token, only for its own page", async () => {
  const { pan, cvc, pin } = await issued();
  const fields = await openFields("cardData");
  const { body } = await post("/open", fields);
  expect(body).toEqual({
    number: pan.replaceAll(/(\d{4})(?=\d)/g, "$1 "),
    expiry: expect.stringMatching(/^\d{2}\/\d{2}$/),
    cvc,
  });
  expect((await post("/open", fields)).status).toBe(401);
  expect((await post("/open", await openFields("cardPin"))).body).toEqual({ pin });
  expect((await post("/open", await openFields("cardPin"), `http://localhost:${app.port}`)).status).toBe(403);
  const stranger = await (await new Person(service).signIn()).signUp();
  expect((await post("/open", { ...(await openFields("cardPin")), accessToken: stranger.token })).status).toBe(404);
  expect((await post("/open", { ...(await openFields("cardPin")), accessToken: "none" })).status).toBe(400);
  const { data } = (await post("/api/v1/ephemeral-token", {})).body;
  expect((await post("/open", { ...fields, ephemeralToken: data.ephemeralToken })).status).toBe(200);
  expect(Date.parse(data.expiresAt) - Date.now()).toBeWithin(50_000, 60_001);
});

test("a PIN is set once per opened element", async () => {
  const { grant } = (await post("/open", await openFields("setCardPin"))).body;
  expect((await post("/open", { ...(await openFields("cardData")), ephemeralToken: grant })).status).toBe(401);
  const again = (await post("/open", await openFields("setCardPin"))).body.grant;
  expect((await post("/pin", { grant: again, pin: "12345" })).status).toBe(422);
  expect(await post("/pin", { grant: again, pin: "4711" })).toEqual({ status: 200, body: { ok: true } });
  expect((await post("/pin", { grant: again, pin: "4712" })).status).toBe(401);
  expect((await issued()).pin).toBe("4711");
});

test("a PIN that is set for a physical card is an event of its user", async () => {
  const physical = await createPhysical(person);
  const fields = { ...(await openFields("setCardPin")), cardToken: physical?.cardToken };
  const { grant } = (await post("/open", fields)).body;
  expect((await post("/pin", { grant, pin: "4711" })).status).toBe(200);
  const isPin = and(eq(events.userId, person.userId ?? ""), eq(events.eventType, "physical.card.pin.changed"));
  const published = await service.runtime.db.select().from(events).where(isPin);
  expect(published.map(({ data }) => data)).toEqual([{ userId: person.userId, cardToken: fields.cardToken }]);
});

describe.skipIf(!hasBrowser)("the published client, unmodified, in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
    await browser.emulate({ width: 420, height: 300, scheme: "light" });
  });
  afterAll(() => browser.close());

  /** Mounts an element like an app, after its own page has loaded. */
  const mount = async (elementType: string, { token = "", style = {} } = {}) => {
    await browser.open(`http://localhost:${app.port}/?${elementType}`);
    await browser.waitFor(`location.search === "?${elementType}" && typeof window.mount === "function"`);
    const ephemeralToken = token === "" ? await issue() : token;
    const given = { elementType, ephemeralToken, gnosisPayApiAuthToken: person.token, iframeHost: origin };
    await browser.run(`mount(${JSON.stringify({ ...given, cardToken, style })})`);
    await browser.waitFor(`document.querySelector("iframe") !== null`);
  };
  const shows = (text: string) =>
    browser.waitForInFrame(`document.querySelector("main")?.innerText.includes("${text}") === true`);
  const takePicture = async (name: string) => {
    const folder = process.env["SCREENSHOTS"];
    if (folder !== undefined) await Bun.write(`${folder}/${name}.png`, await browser.takeScreenshot());
  };

  test("shows number, expiry and CVC, which the app never receives, and reports a copy", async () => {
    const { pan, cvc } = await issued();
    const number = pan.replaceAll(/(\d{4})(?=\d)/g, "$1 ");
    await mount("cardData", { style: { value: { fontSize: 14, color: "rgb(1, 2, 3)" }, nonsense: { a: "b" } } });
    await shows(number);
    await shows(cvc);
    const look = `getComputedStyle(document.querySelector("dd")).fontSize + getComputedStyle(document.querySelector("dd")).color`;
    expect(await browser.runInFrame(look)).toBe("14pxrgb(1, 2, 3)");
    await takePicture("card-data");
    for (const name of ["Number", "Expires", "CVC"])
      await browser.runInFrame(
        `{ const button = document.querySelector("[aria-label='Copy ${name}']"); button.focus(); button.click(); }`,
      );
    await browser.waitFor(`heard.length === 3`);
    expect(await browser.run("heard")).toEqual(["CardNumberCopied", "CardExpirationCopied", "CardSecurityCodeCopied"]);
    expect(JSON.stringify(await browser.run("raw"))).not.toContain(pan.slice(0, 4));
  }, 60_000);

  test("shows the PIN, and sets another inside the frame", async () => {
    await mount("cardPin");
    await shows((await issued()).pin);
    await takePicture("card-pin");
    await mount("setCardPin");
    await shows("New PIN");
    await takePicture("set-pin");
    expect(await browser.runInFrame(`document.documentElement.scrollWidth <= innerWidth`)).toBe(true);
    await browser.runInFrame(`document.querySelector("input").value = "2468"`);
    await browser.runInFrame(`document.querySelector("button").click()`);
    await browser.waitFor(`heard.length === 2`);
    expect(await browser.run("heard")).toEqual(["SetPin", "DoneSettingPin"]);
    await shows("The PIN is set.");
    await takePicture("pin-set");
    expect((await issued()).pin).toBe("2468");
  }, 60_000);

  test("reports a used token and opens with a new one, and reports a foreign card", async () => {
    const used = await issue();
    await mount("cardPin", { token: used });
    await shows((await issued()).pin);
    await mount("cardPin", { token: used });
    await browser.waitFor(`heard.length === 1`);
    expect(await browser.run("heard")).toEqual(["invalid token: The ephemeral token is not valid"]);
    await browser.run(`client.refreshToken(${JSON.stringify(await issue())})`);
    await shows((await issued()).pin);
    await mount("cardNumberCopied");
    await browser.waitFor(`heard.length === 1`);
    expect(await browser.run("heard")).toEqual(["error: Invalid request 422"]);
  }, 60_000);

  test("asks for a PIN again with a new token after one was refused", async () => {
    await mount("setCardPin");
    const enter = async (pin: string) => {
      await shows("New PIN");
      // The form itself refuses what the sandbox would refuse.
      await browser.runInFrame(`document.querySelector("form").noValidate = true`);
      await browser.runInFrame(`document.querySelector("input").value = "${pin}"`);
      await browser.runInFrame(`document.querySelector("button").click()`);
    };
    await enter("12");
    await browser.waitFor(`heard.length === 1`);
    await browser.run(`client.refreshToken(${JSON.stringify(await issue())})`);
    await enter("1357");
    await browser.waitFor(`heard.length === 3`);
    expect(await browser.run("heard")).toEqual(["error: Invalid request 422", "SetPin", "DoneSettingPin"]);
    expect((await issued()).pin).toBe("1357");
  }, 60_000);

  test("shows the card on the page of the guide about elements", async () => {
    await browser.open(`http://localhost:${app.port}/guide`);
    await shows((await issued()).cvc);
  }, 60_000);

  test("takes a verdict on the identity provider's page inside an app's frame", async () => {
    const ada = await (await new Person(service).signIn()).signUp();
    // What the tests before had refused on purpose.
    browser.takeErrors();
    await browser.open(`http://localhost:${app.port}/kyc/${ada.userId}`);
    await browser.waitFor(`document.querySelector("iframe") !== null && document.readyState === "complete"`);
    await browser.waitForInFrame(`document.body !== null && document.readyState === "complete"`);
    expect(browser.takeErrors()).toEqual([]);
    await browser.runInFrame(`document.querySelector("button[value=approved]").click()`);
    await shows("Approved. You can go back to the app.");
    expect((await ada.call("GET", "/user")).body).toMatchObject({ kycStatus: "approved" });
  }, 60_000);

  test("reads the token that the sandbox issues in place of a partner's server", async () => {
    await browser.open(`http://localhost:${app.port}/`);
    await browser.waitFor(`typeof window.mount === "function"`);
    const ask = `fetch("${sandboxOrigin()}/elements/token", { headers: { "Content-Type": "application/json" } }).then((answer) => answer.json())`;
    expect(await browser.run(ask)).toMatchObject({
      success: true,
      data: { ephemeralToken: expect.any(String) },
      responseObject: { data: { ephemeralToken: expect.any(String), expiresAt: expect.any(String) } },
    });
  }, 60_000);
});
