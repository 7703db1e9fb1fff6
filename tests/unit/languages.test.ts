/** The texts of every language, and what a file of texts may hold. */
import { describe, expect, test } from "bun:test";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { createLanguages, type TextKey } from "@cardkeep/domain/core/languages/languages";
import { composeMail, type MailName } from "@cardkeep/domain/core/messages/composeMessage";
import { type Token, tokens } from "@cardkeep/chain/tokens";
import { formatAmountFor, formatDayFor, formatTokenFor } from "@cardkeep/domain/core/messages/formatFor";
import { production } from "../support/production.ts";
import { filled } from "../support/filled.ts";
import { findLetters, pseudoTexts } from "../support/pseudoLanguage.ts";
import { readSettings } from "@cardkeep/runtime/settings";
import de from "../../packages/domain/src/core/languages/files/de.json" with { type: "json" };
import en from "../../packages/domain/src/core/languages/files/en.json" with { type: "json" };
import es from "../../packages/domain/src/core/languages/files/es.json" with { type: "json" };
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const declines = Object.fromEntries([...declineCatalogue].map(([code, { user }]) => [`decline.${code}`, user]));
const english: Record<string, string> = { ...en, ...declines };
/** The same word in both languages. */
const shared = ["page.code", "page.terms.version"];
const programme = {
  name: "Ærø",
  logo: "https://logo.example/a.png",
  color: "#ffcc00",
  supportAddress: "1@2.34",
  links: { app: null, imprint: null, privacy: null },
};
const sender = { policy: { programme } } as unknown as Parameters<typeof composeMail>[0];
const values = {
  code: "123456",
  minutes: 5,
  wallet: "0x12",
  digits: "678",
  hours: 24,
  amount: "1,00",
  day: "2",
  state: "",
  count: 2,
  more: 1,
  lines: "1",
  merchant: "2",
  kind: "",
  month: "1",
  from: "1",
  to: "2",
  rate: "1",
  percent: "1",
  page: 1,
  pages: 2,
  url: "1",
  value: "2",
};

describe("each language of ours", () => {
  test.each(Object.entries({ de, es }))(
    "%s has every text, in words of its own",
    (_, texts: Record<string, string>) => {
      expect(Object.keys(texts).toSorted()).toEqual(Object.keys(english).toSorted());
      const same = Object.keys(english).filter((key) => texts[key] === english[key] && !shared.includes(key));
      expect(same).toEqual([]);
      expect(() => createLanguages({ own: { de: texts } })).not.toThrow();
    },
  );

  test("says a decline that it does not know without its code", () => {
    const language = createLanguages().of("de");
    expect(language.sayDecline("insufficient_funds")).toStartWith("Auf Ihrem Konto");
    for (const reason of [null, "issuer_new_reason", "unknown"])
      expect(language.sayDecline(reason)).toBe("Diese Zahlung wurde abgelehnt. Bitte wenden Sie sich an den Support.");
  });

  test("names neither a kind of contact nor a time that another change or setting does not have", () => {
    for (const code of ["en", "de", "es"]) {
      const language = createLanguages().of(code);
      expect(language.sayDecline("contact_changed")).not.toMatch(/phone|Telefon|teléfono|\bday\b|\bTag|\bdía/i);
      const said = (hours: number) => language.say("page.contact.changed", { hours });
      expect([said(0), said(1), said(36)].map((text) => /\d+/.exec(text)?.[0])).toEqual([undefined, undefined, "36"]);
      expect(said(0).length).toBeLessThan(said(1).length);
    }
  });

  test("writes amounts and days as its people do", () => {
    const { of } = createLanguages();
    const amounts = ["en", "de", "es"].map((code) => formatAmountFor(of(code), 123_456n, "EUR", 2));
    expect(amounts.map((text) => text.replaceAll(/\s/g, " "))).toEqual(["€1,234.56", "1.234,56 €", "1234,56 €"]);
    expect(formatAmountFor(of("en"), -900_719_925_474_099_355n, "EUR", 2)).toBe("-€9,007,199,254,740,993.55");
    expect(formatAmountFor(of("en"), 5n, "JPY", 0)).toBe("JP¥5");
    const written = (code: string, units: bigint, token: Token = tokens.EURe) =>
      formatTokenFor(of(code), units, token).replaceAll(/\s/g, " ");
    const forty = 40n * 10n ** 18n;
    expect(["en", "de", "es"].map((code) => written(code, forty))).toEqual(["€40.00", "40,00 €", "40,00 €"]);
    expect([
      written("de", forty + 1n),
      written("en", 1_234_567n, tokens.USDCe),
      written("en", forty, tokens.GBPe),
    ]).toEqual(["40,000000000000000001 €", "US$1.234567", "£40.00"]);
    const day = new Date("2026-03-01T23:59:59Z");
    expect(["en", "de", "es"].map((code) => formatDayFor(of(code), day))).toEqual([
      "1 March 2026",
      "1. März 2026",
      "1 de marzo de 2026",
    ]);
  });
});

describe("the language of a request", () => {
  test.each([
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["fr, es;q=0.5, de;q=0.4", "es"],
    ["fr", null],
    ["*", null],
    ["", null],
    ["de;q=0", null],
    ["\u0000;;q=x,,", null],
    [null, null],
  ])("%p is %p", (header, code) => expect(createLanguages().choose(header)).toBe(code));
});

describe("a pseudo-language", () => {
  const language = createLanguages({ own: { xx: pseudoTexts(english) } }).of("xx");

  test("shows no English in any text", () => {
    const keys = Object.keys(en).filter((name) => !name.startsWith("language.")) as TextKey[];
    for (const key of filled(keys))
      expect(
        findLetters(language.say(key, { programme: "1", address: "2", version: "3", ...values }), ["0x12"]),
      ).toEqual([]);
    for (const code of filled([...declineCatalogue.keys()]))
      expect(findLetters(language.sayDecline(code), [])).toEqual([]);
    expect(formatDayFor(language, new Date("2026-03-01"))).toContain("martxo");
  });

  test("shows none in any mail, neither in the text nor in the HTML", () => {
    const names = Object.keys(en).flatMap((key) => (key.endsWith(".subject") ? [key.slice(0, -8) as MailName] : []));
    for (const name of filled(names)) {
      const mail = composeMail(sender, language, name, { values, ...(name.startsWith("code.") && { code: "123456" }) });
      const shown = (mail.html ?? "").replaceAll(/<[^>]+>/g, " ");
      expect(findLetters(`${mail.subject} ${mail.text} ${shown}`, ["0x12", "nbsp"])).toEqual([]);
      expect(mail.text).toContain("Ærø");
      expect(mail.html).toContain('<img src="https://logo.example/a.png" alt="Ærø"');
      if (name.startsWith("code.")) expect(mail.text).toContain(language.say("code.never", { programme: "Ærø" }));
    }
  });
});

describe("a mail", () => {
  test("shows values as characters, not as HTML, and ink that can be read on the colour", () => {
    const { html = "" } = composeMail(sender, createLanguages().of("en"), "cardActive", {
      values: { digits: "<b>1</b>" },
    });
    expect(html).toContain("&lt;b&gt;1&lt;/b&gt;");
    expect(html).toContain("background:#ffcc00;color:#000");
  });
});

describe("a folder of language files", () => {
  const read = (files: Record<string, unknown>, more: Record<string, string> = {}) => {
    const folder = mkdtempSync(join(tmpdir(), "cardkeep-languages-"));
    try {
      for (const [name, content] of Object.entries(files))
        writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
      return createLanguages(readSettings({ ...production, LANGUAGES_FOLDER: folder, ...more }).languageFiles);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test("adds a language without code, and replaces single texts of ours", () => {
    const languages = read({
      "fr.json": { "page.continue": "Continuer" },
      "de.json": { "page.continue": "Los" },
      "a.txt": "",
    });
    expect(languages.codes).toEqual(["en", "de", "es", "fr"]);
    expect(languages.choose("fr-CH")).toBe("fr");
    expect(languages.of("fr").say("page.continue")).toBe("Continuer");
    expect(languages.of("fr").say("page.code.wrong")).toBe("This code is wrong or too old.");
    expect(languages.of("de").say("page.continue")).toBe("Los");
    expect(languages.of("de").say("page.email.send")).toBe("Code senden");
    expect(read({ "fr.json": {} }, { PROGRAMME_LANGUAGE: "fr" }).of(null).code).toBe("fr");
  });

  test.each([
    [{ "french.json": {} }, "french: the file must be named by two lower-case letters"],
    [{ "fr.json": { "page.kontinue": "x" } }, "fr: page.kontinue is no text of this version"],
    [{ "fr.json": { "code.never": "{programe}" } }, "fr: code.never has no argument programe"],
    [{ "fr.json": { "code.never": "{programme" } }, "fr: code.never cannot be read as an ICU message"],
    [{ "fr.json": { "language.locale": "fr_FR" } }, "fr: language.locale must be a tag of BCP 47, such as fr-CH"],
    [{ "fr.json": { "language.locale": "" } }, "fr: language.locale must be a tag of BCP 47, such as fr-CH"],
    [{ "fr.json": { "code.never": 5 } }, "LANGUAGES_FOLDER: fr.json"],
    [{ "fr.json": "{" }, "LANGUAGES_FOLDER: fr.json"],
  ])("is refused at the start: %j", (files, fault) => expect(() => read(files)).toThrow(fault));

  test("that does not exist, and a language without a file, are named", () => {
    expect(() => readSettings({ ...production, LANGUAGES_FOLDER: "/nowhere" })).toThrow("LANGUAGES_FOLDER: ");
    expect(() => readSettings({ ...production, PROGRAMME_LANGUAGE: "fr" })).toThrow(
      "PROGRAMME_LANGUAGE: fr: no file has this language",
    );
  });
});

test.each([
  { PROGRAMME_NAME: "a\nb" },
  { PROGRAMME_NAME: "<b>" },
  { PROGRAMME_LOGO: "data:image/png;base64,AA" },
  { PROGRAMME_LOGO: "javascript:1" },
  { PROGRAMME_LOGO: "http://logo.example/a.png" },
  { PROGRAMME_COLOR: "red" },
  { SUPPORT_ADDRESS: "help" },
  { PROGRAMME_APP_URL: "http://app.example" },
  { PROGRAMME_IMPRINT_URL: "javascript:1" },
  { PROGRAMME_PRIVACY_URL: "privacy" },
])("the setting %j is refused in production", (setting) =>
  expect(() => readSettings({ ...production, ...setting })).toThrow(Object.keys(setting)[0]),
);
