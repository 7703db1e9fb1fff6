/** The brand and the language of what people get: mails, text messages and pages. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import en from "../../packages/domain/src/core/languages/files/en.json" with { type: "json" };
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { findLetters, pseudoTexts } from "../support/pseudoLanguage.ts";
import { type Service, startService } from "../support/service.ts";

const folder = mkdtempSync(join(tmpdir(), "cardkeep-languages-"));
const declines = Object.fromEntries([...declineCatalogue].map(([code, { user }]) => [`decline.${code}`, user]));
writeFileSync(join(folder, "xx.json"), JSON.stringify(pseudoTexts({ ...en, ...declines })));

let service: Service;
beforeAll(async () => {
  service = await startService({
    worker: false,
    env: {
      PROGRAMME_NAME: "Kaffeekarte",
      PROGRAMME_LOGO: "https://kaffee.example/logo.png",
      PROGRAMME_COLOR: "#1c6f3a",
      SUPPORT_ADDRESS: "hilfe@kaffee.example",
      PROGRAMME_APP_URL: "https://kaffee.example/app",
      PROGRAMME_IMPRINT_URL: "https://kaffee.example/impressum",
      PROGRAMME_PRIVACY_URL: "https://kaffee.example/datenschutz",
      LANGUAGES_FOLDER: folder,
    },
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

let count = 0;
const newAddress = () => `reader${++count}@example.org`;
const newNumber = () => `+49151${String(20_000_000 + ++count)}`;
const mailsTo = async (to: string) => (await new Person(service).sandbox("GET", `/mailbox?to=${to}`)).body;
const smsTo = async (to: string) =>
  (await new Person(service).sandbox("GET", `/phones?to=${encodeURIComponent(to)}`)).body;
const speaking = (language: string) => ({ "Accept-Language": language });
const sendOtp = async (language: string) => {
  const email = newAddress();
  await new Person(service).call("POST", "/auth/signup/otp", { email }, speaking(language));
  const { html } = (await new Person(service).sandbox("GET", `/mailbox/html?to=${email}`)).body;
  return { ...(await mailsTo(email))[0], html };
};
const signUp = async (language: string | null) => {
  const person = await new Person(service).signIn();
  const headers = language === null ? {} : speaking(language);
  const { body } = await person.call("POST", "/auth/signup", { authEmail: newAddress() }, headers);
  return Object.assign(person, { token: body.token as string, userId: body.id as string });
};
const languageOf = async (person: Person) => (await person.call("GET", "/user/language")).body.language;

describe("before sign-up", () => {
  test("a mail is in the request's language, with the programme's name and the warning about its code", async () => {
    const mail = await sendOtp("de-AT, en;q=0.5");
    expect(mail.subject).toBe("Ihr Bestätigungscode");
    expect(mail.text).toContain(`Ihr Bestätigungscode ist ${mail.code}. Er gilt 5 Minuten.`);
    expect(mail.text).toContain("Nennen Sie niemandem diesen Code. Kaffeekarte fragt nie danach.");
    expect(mail.text).toContain("Fragen? hilfe@kaffee.example");
    expect(mail.text).toContain(
      "Zur App: https://kaffee.example/app\nImpressum: https://kaffee.example/impressum\nDatenschutz: https://kaffee.example/datenschutz\n",
    );
    expect(mail.html).toContain('<a href="https://kaffee.example/impressum" style="color:inherit">Impressum</a>');
    expect(mail.html).toContain('<html lang="de">');
    expect(mail.html).toContain('<img src="https://kaffee.example/logo.png" alt="Kaffeekarte"');
    expect((await sendOtp("es")).subject).toBe("Su código de verificación");
    expect((await sendOtp("fr")).subject).toBe("Your verification code");
  });

  test("the language of the sign-up becomes the user's; without one the programme's holds", async () => {
    expect(await languageOf(await signUp("de-CH"))).toBe("de");
    for (const header of ["fr", null, "*"]) expect(await languageOf(await signUp(header))).toBe("en");
  });
});

describe("PUT /user/language", () => {
  test("sets it on both surfaces, and text messages follow", async () => {
    const person = await new Person(service).becomeApproved();
    expect(await person.call("PUT", "/user/language", { language: "de" })).toMatchObject({
      status: 200,
      body: { language: "de" },
    });
    const number = newNumber();
    await person.call("POST", "/verification", { phoneNumber: number });
    const [sms] = await smsTo(number);
    expect(sms.text).toBe(
      `Kaffeekarte: Ihr Bestätigungscode ist ${sms.code}. Er gilt 10 Minuten. Nennen Sie niemandem diesen Code. Kaffeekarte fragt nie danach.`,
    );
    expect(await person.trpc().users.setLanguage.mutate({ language: "es" })).toEqual({ language: "es" });
    expect(await languageOf(person)).toBe("es");
  });

  test("refuses what no file has, and errors stay English", async () => {
    const person = await signUp("de");
    const unknown = await person.call("PUT", "/user/language", { language: "fr" }, speaking("de"));
    expect(unknown).toMatchObject({ status: 422, body: { message: "Unknown language" } });
    expect(unknown.headers.get("x-error-code")).toBe("users.unknown_language");
    for (const language of ["DE", "deu", "d", "", null, 5, "../x"])
      expect((await person.call("PUT", "/user/language", { language })).status).toBe(422);
    expect(await languageOf(person)).toBe("de");
    expect((await new Person(service).call("PUT", "/user/language", { language: "de" })).status).toBe(401);
  });
});

describe("a pseudo-language", () => {
  const visible = (html: string) =>
    html
      .replaceAll(/<style>.*?<\/style>/gs, "")
      .replaceAll(/<[^>]+>/g, " ")
      .replaceAll(/&\w+;/g, " ");
  const links = ["app", "impressum", "datenschutz"].map((page) => `https://kaffee.example/${page}`);
  const allowed = ["Kaffeekarte", "hilfe@kaffee.example", ...links];

  test("shows no English in mails and text messages", async () => {
    const mail = await sendOtp("xx");
    expect(findLetters(`${mail.subject} ${mail.text} ${visible(mail.html)}`, allowed)).toEqual([]);
    const person = await new Person(service).becomeApproved();
    await person.call("PUT", "/user/language", { language: "xx" });
    const number = newNumber();
    await person.call("POST", "/verification", { phoneNumber: number });
    expect(findLetters((await smsTo(number))[0].text, allowed)).toEqual([]);
  });

  test("shows none on the pages for people, which have the programme's name and colour", async () => {
    const paths = [
      "/terms/general-tos",
      "/callbacks/monerium/oauth?state=a&code=b",
      "/callbacks/monerium/email?state=a",
      "/callbacks/contact?token=a",
    ];
    for (const path of filled(paths)) {
      const response = await fetch(service.url + path, { headers: { ...speaking("xx"), Accept: "text/html" } });
      const html = await response.text();
      expect(findLetters(visible(html), [...allowed, "TOS_GENERAL_VERSION_1"])).toEqual([]);
      expect(html).toContain('<html lang="xx">');
      expect(html).toContain('alt="Kaffeekarte"');
      for (const link of links) expect(html).toContain(`<a href="${link}">`);
      expect(response.headers.get("content-security-policy")).toContain("img-src data: https://kaffee.example;");
    }
  });
});
