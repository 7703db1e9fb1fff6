/** How search reads texts: the server that builds the index and the page that asks it have the same rules. */
import { stemmer } from "stemmer";

/** Words of questions that say nothing about their subject. */
const emptyWords = new Set(
  (
    "a about actually after all also always am an and another any anybody anyone anything are as at be because been before being but by ca can " +
    "cannot could did do does doing done don else ever every everything for from get gets getting give given go goes going got had happen " +
    "happened happening happens has have having he hello her here hey hi him his how i if in into is isn it its just know let like " +
    "look looks lot make makes making many may me mean means might mine more most much must my myself need needed needs never nor now of off ok " +
    "on only onto or our ours out over own people person please possible put really say says see seem shall she should show so some " +
    "someone something somewhere still such take takes than thanks that the their theirs them then there these they thing things this " +
    "those through to too try trying under until up upon us use used useful uses using very via want wanted wants was way ways we well were what " +
    "when where whether which while who whose why will with within without wo would yes yet you your yours"
  ).split(" "),
);

/** Words that nearly everything here is about: an entry without them is hardly worse. */
const weakWords = new Set(
  (
    "app application cardholder cardholders cardkeep case company customer customers holder holders new number old one own program service " +
    "software start started starts supported supports system three time two user users work works working right wrong long day days week weeks"
  ).split(" "),
);

/** Words of half of all pages. */
const commonWords = new Set(
  "account accounts card cards change changed changes data money payment payments transaction transactions".split(" "),
);

/** How much a word says about the subject, from 0 to 1. */
export function weighWord(word: string): number {
  if (weakWords.has(word)) return 0.25;
  return commonWords.has(word) ? 0.6 : 1;
}

/** Whether a word of a question has a subject. */
export const hasSubject = (word: string): boolean => !emptyWords.has(word);

/** Forms of verbs that no rule leads to. */
const irregular = new Map(
  (
    "froze:freeze frozen:freeze paid:pay sent:send spent:spend stole:steal stolen:steal lost:lose losing:lose forgot:forget forgotten:forget " +
    "broke:break broken:break chose:choose chosen:choose wrote:write written:write kept:keep left:leave sold:sell bought:buy withdrew:withdraw " +
    "withdrawn:withdraw held:hold found:find began:begin begun:begin ran:run sold:sell understood:understand went:go hid:hide hidden:hide " +
    "taken:take took:take given:give gave:give known:know knew:know shown:show signed:sign signing:sign people:person children:child"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** The form under which a word is known: `payments` and `payment` are one. Names with digits stay as they are. */
export const stemWord = (given: string): string => {
  const word = given.toLowerCase();
  return /^[a-z]{3,}$/.test(word) ? stemmer(irregular.get(word) ?? word) : word;
};

/** The words of a text, and the parts of names such as `cooldownSeconds` and `cards.not_found`. What follows an apostrophe is no word. */
export const splitWords = (text: string): string[] =>
  text
    .replaceAll(/(\p{L}+?)(?:n['’]t|['’](?:s|ve|re|ll|d|m))\b/giu, "$1")
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => {
      const parts = word.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
      return parts.length > 1 ? [word, ...parts] : [word];
    })
    .filter((word) => word !== "");
