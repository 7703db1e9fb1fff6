/**
 * The questions about the source of funds, as data.
 *
 * - question set: the questions in their order. - risk: what an answer is worth; the worst of a person's counts.
 * - amount: `{25000}` in an answer's text, whole EUR, shown in the currency of the person's country.
 */
import { risks } from "@cardkeep/db/schema/users/users";
import { z } from "zod";

interface Currency {
  readonly symbol: string;
  /** A round figure, so that round amounts stay round. */
  readonly perEuro: number;
  readonly separator: "," | "." | "'";
}

const euro: Currency = { symbol: "€", perEuro: 1, separator: "," };
const pound: Currency = { symbol: "£", perEuro: 0.8, separator: "," };
const currencyByCountry: ReadonlyMap<string, Currency> = new Map([
  ["GB", pound],
  ["UK", pound],
  ["US", { symbol: "US$", perEuro: 1, separator: "," }],
  ["BR", { symbol: "R$", perEuro: 6, separator: "." }],
  ["CH", { symbol: "CHF ", perEuro: 1, separator: "'" }],
]);
const currencies = [...new Set([euro, ...currencyByCountry.values()])];

/** The currency of a locale: its country, alone or behind a language, in any letter case; EUR for all others. */
export const currencyOf = (locale: string | undefined): Currency =>
  currencyByCountry.get(locale?.split(/[-_]/).at(-1)?.toUpperCase() ?? "") ?? euro;

/** An answer's text as it is shown in a currency. */
export const renderAnswer = (text: string, { symbol, perEuro, separator }: Currency): string =>
  text.replaceAll(/\{(\d+)\}/g, (_, amount: string) => {
    const digits = String(Math.round(Number(amount) * perEuro));
    return symbol + digits.replaceAll(/\B(?=(\d{3})+$)/g, separator);
  });

/** An answer's text in every currency that it is shown in. */
export const listRenderings = (text: string): string[] => [
  ...new Set(currencies.map((currency) => renderAnswer(text, currency))),
];

const textLengthMax = 300;
const text = z.string().trim().min(1).max(textLengthMax);
const isDistinct = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;

const question = z.object({
  question: text,
  answers: z
    .array(z.object({ text, risk: z.enum(risks) }))
    .min(1)
    .max(50)
    .refine((answers) => answers[0]?.risk !== "red", "the first answer of a question has to pass")
    .refine(
      (answers) => isDistinct(answers.flatMap((answer) => listRenderings(answer.text))),
      "two answers look alike",
    ),
});

/** A set that may be put to people: every text is one thing only, and the first answers pass. */
export const questionSet = z
  .array(question)
  .min(1)
  .max(50)
  .refine((questions) => isDistinct(questions.map((each) => each.question)), "two questions look alike");
export type QuestionSet = z.output<typeof questionSet>;
