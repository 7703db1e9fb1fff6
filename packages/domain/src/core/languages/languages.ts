/**
 * The languages of mails, messages and pages. Each is one file of texts in ICU's message format; English is complete, and
 * another language shows the English text where it has none.
 *
 * - text: a message with `{arguments}`. - key: its name in every file.
 */
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { IntlMessageFormat } from "intl-messageformat";
import Negotiator from "negotiator";
import de from "./files/de.json" with { type: "json" };
import en from "./files/en.json" with { type: "json" };
import es from "./files/es.json" with { type: "json" };
import { listLanguageFaults } from "./languageFaults.ts";

export type TextKey = keyof typeof en;
/** The arguments of a text. */
export type TextValues = Readonly<Record<string, string | number>>;
export type LanguageTexts = Readonly<Record<string, string>>;

export interface Language {
  /** ISO 639-1, the name of its file. */
  readonly code: string;
  /** How figures and dates are written, BCP 47. */
  readonly locale: string;
  say(key: TextKey, values?: TextValues): string;
  /** Why a payment was declined, for its cardholder. */
  sayDecline(reason: string | null): string;
}

export interface Languages {
  readonly codes: readonly string[];
  /** The language of a code; the programme's for none and for an unknown one. */
  of(code: string | null): Language;
  /** The code that an `Accept-Language` header prefers; null where it names none of them. */
  choose(acceptLanguage: string | null): string | null;
}

const declines = Object.fromEntries([...declineCatalogue].map(([code, { user }]) => [`decline.${code}`, user]));

/** Every text, in English. */
const englishTexts: LanguageTexts = { ...en, ...declines };

const builtIn: Readonly<Record<string, LanguageTexts>> = { en: englishTexts, de, es };

/**
 * The languages with those of the operator's own files, which win over ours. `fallback` is the programme's language.
 *
 * @throws Error naming each fault of a file
 */
export function createLanguages({
  own = {},
  fallback = "en",
}: { own?: Readonly<Record<string, LanguageTexts>>; fallback?: string } = {}): Languages {
  const faults = Object.entries(own).flatMap(([code, texts]) => listLanguageFaults(code, texts, englishTexts));
  const files = Object.fromEntries(
    [...new Set([...Object.keys(builtIn), ...Object.keys(own)])].map((code) => [
      code,
      { ...builtIn[code], ...own[code] },
    ]),
  );
  if (files[fallback] === undefined) faults.push(`${fallback}: no file has this language`);
  if (faults.length > 0) throw new Error(faults.join("; "));
  const languages = new Map(Object.entries(files).map(([code, texts]) => [code, createLanguage(code, texts)]));
  const programme = languages.get(fallback) ?? createLanguage("en", englishTexts);
  const codes = [fallback, ...[...languages.keys()].filter((code) => code !== fallback)];
  return {
    codes,
    of: (code) => (code === null ? undefined : languages.get(code)) ?? programme,
    choose: (acceptLanguage) => {
      // Programs that prefer none send an asterisk.
      if (acceptLanguage === null || acceptLanguage.trim() === "*") return null;
      const negotiator = new Negotiator({ headers: { "accept-language": acceptLanguage } });
      return negotiator.languages([...codes])[0] ?? null;
    },
  };
}

function createLanguage(code: string, texts: LanguageTexts): Language {
  const locale = texts["language.locale"] ?? code;
  const compiled = new Map<string, IntlMessageFormat>();
  const format = (key: string, values: TextValues): string => {
    const known = compiled.get(key) ?? compile(texts[key] ?? englishTexts[key] ?? "", locale);
    compiled.set(key, known);
    return String(known.format(values));
  };
  return {
    code,
    locale,
    say: (key, values = {}) => format(key, values),
    sayDecline: (reason) => {
      const key = `decline.${reason}`;
      return format(englishTexts[key] === undefined ? "decline.unknown" : key, {});
    },
  };
}

/** Angle brackets are characters: no text holds HTML. */
const compile = (text: string, locale: string): IntlMessageFormat =>
  new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
