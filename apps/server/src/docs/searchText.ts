/** How search reads texts: the server that builds the index and the page that asks it have the same rules. */
import { stemmer } from "stemmer";

/** Words of questions that say nothing about their subject. */
const emptyWords = new Set(
  (
    "a about actually after again all already also although always am an and another any anybody anyone anything are as at be because " +
    "been before being between both but by ca can cannot could currently did do does doing don done during else enough even ever every " +
    "everything exactly for from get gets getting give given go goes going got had happen happened happening happens has have having he " +
    "hello her here hey hi him his how i if in instead into is isn it its just know let like look looks lot make makes making many may " +
    "maybe me mean means might mine more most much must my myself necessary need needed needs never nor now of off ok on only onto or our " +
    "ours out over own people per perhaps person please possible put quite rather really require required requires say says see seem " +
    "shall she should show simply so some someone something somewhere still such take takes than thanks that the their theirs them then " +
    "there these they thing things this those though through to together too try trying under until up upon us use used useful uses using " +
    "very via want wanted wants was way ways we well were what when where whether which while who whose why will with within without wo " +
    "would yes yet you your yours"
  ).split(" "),
);

/** Words that nearly everything here is about: an entry without them is hardly worse. */
const weakWords = new Set(
  (
    "app application cardholder cardholders cardkeep case company customer customers day days holder holders hour hours long minute minutes new " +
    "number old one own program right service software start started starts supported supports system ten three time two user users week weeks " +
    "work working works wrong"
  ).split(" "),
);

/** Forms of words that half of all pages have, and of verbs that go with any object. */
const commonWords =
  "account card change data money payment transaction add create list set show find send see check view update manage handle open run prepare " +
  "api move keep finish bring read ask call";

/** How much a word says about the subject, from 0 to 1. */
export function weighWord(word: string): number {
  if (weakWords.has(word)) return 0.25;
  return commonStems.has(stemWord(word)) ? 0.8 : 1;
}

/** Whether a word of a question has a subject. */
export const hasSubject = (word: string): boolean => !emptyWords.has(word);

/** Forms of verbs that no rule leads to. */
const irregular = new Map(
  (
    "froze:freeze frozen:freeze paid:pay sent:send spent:spend stole:steal stolen:steal lost:lose losing:lose forgot:forget forgotten:forget " +
    "broke:break broken:break chose:choose chosen:choose wrote:write written:write kept:keep left:leave sold:sell bought:buy withdrew:withdraw " +
    "withdrawn:withdraw held:hold found:find began:begin begun:begin ran:run sold:sell understood:understand went:go hid:hide hidden:hide " +
    "taken:take took:take given:give gave:give known:know knew:know shown:show signed:sign signing:sign healthy:health people:person children:child"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** The form under which a word is known: `payments` and `payment` are one. Names with digits stay as they are. */
export const stemWord = (given: string): string => {
  const word = given.toLowerCase();
  return /^[a-z]{3,}$/.test(word) ? stemmer(irregular.get(word) ?? word) : word;
};

const commonStems = new Set(commonWords.split(" ").map(stemWord));

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
