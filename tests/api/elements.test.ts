import { afterAll, beforeAll, expect, test } from "bun:test";
import { createElements } from "@cardkeep/sandbox/elements/app";
import { type Browser, hasBrowser, startBrowser } from "../support/browser.ts";
import { becomeCardholder, createVirtual } from "../support/cards.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let elements: ReturnType<typeof Bun.serve>;
let app: ReturnType<typeof Bun.serve>;
let person: Person;
let cardToken: string;
let origin: string;
beforeAll(async () => {
  service = await startService();
  elements = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: createElements(service.runtime).fetch });
  origin = `http://localhost:${elements.port}`;
  const page = `<!doctype html><title>App</title><h1>My card</h1><iframe src="${origin}/" width="420" height="130"></iframe>
    <script>window.told = []; addEventListener("message", ({ data }) => told.push(data));</script>`;
  app = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(page, { headers: { "Content-Type": "text/html" } }),
  });
  person = await becomeCardholder(new Person(service));
  await createVirtual(person);
  [{ cardToken }] = (await person.call("GET", "/cards")).body;
}, 120_000);
afterAll(async () => {
  await Promise.all([elements.stop(true), app.stop(true)]);
  await service.stop();
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

test("an element opens its user's own card, once for each ephemeral token, for its own page alone", async () => {
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
  expect((await post("/open", { ...(await openFields("cardPin")), accessToken: "none" })).status).toBe(401);
  const { data } = (await post("/api/v1/ephemeral-token", {})).body;
  expect((await post("/open", { ...fields, ephemeralToken: data.ephemeralToken })).status).toBe(200);
  expect(Date.parse(data.expiresAt) - Date.now()).toBeWithin(50_000, 60_001);
});

test("a PIN is set once for each time that the element is opened", async () => {
  const { grant } = (await post("/open", await openFields("setCardPin"))).body;
  expect((await post("/open", { ...(await openFields("cardData")), ephemeralToken: grant })).status).toBe(401);
  const again = (await post("/open", await openFields("setCardPin"))).body.grant;
  expect((await post("/pin", { grant: again, pin: "12345" })).status).toBe(422);
  expect(await post("/pin", { grant: again, pin: "4711" })).toEqual({ status: 200, body: { ok: true } });
  expect((await post("/pin", { grant: again, pin: "4712" })).status).toBe(401);
  expect((await issued()).pin).toBe("4711");
});

test.skipIf(!hasBrowser)(
  "an app shows number and PIN in a frame, and hears when the PIN is set",
  async () => {
    const browser: Browser = await startBrowser();
    const init = async (element: string) => JSON.stringify({ type: "init", ...(await openFields(element)) });
    try {
      await browser.emulate({ width: 520, height: 260, scheme: "light" });
      await browser.open(`http://localhost:${app.port}/`);
      await browser.waitFor(`window.told?.some(({ type }) => type === "Loaded") === true`);
      await browser.run(`frames[0].postMessage(${await init("cardData")}, "${origin}")`);
      await browser.waitFor(`told.some(({ type }) => type === "Ready")`);
      expect(JSON.stringify(await browser.run("told"))).not.toContain((await issued()).pan.slice(0, 4));
      const folder = process.env["SCREENSHOTS"];
      if (folder !== undefined) await Bun.write(`${folder}/card-data.png`, await browser.takeScreenshot());

      await browser.open(`${origin}/`);
      await browser.waitFor(`document.querySelector("[role=status]") !== null`);
      await browser.run(`window.told = []; addEventListener("message", ({ data }) => told.push(data.type))`);
      await browser.run(`postMessage(${await init("setCardPin")}, "${origin}")`);
      await browser.waitFor(`document.querySelector("input") !== null`);
      await browser.run(`document.querySelector("input").value = "2468"`);
      if (folder !== undefined) await Bun.write(`${folder}/set-pin.png`, await browser.takeScreenshot());
      await browser.click("button");
      await browser.waitFor(`told.includes("DoneSettingPin")`);
      expect((await issued()).pin).toBe("2468");
    } finally {
      await browser.close();
    }
  },
  60_000,
);
