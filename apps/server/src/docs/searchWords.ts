/** Words that newcomers search with and that a page does not say, by its address. */
import { accountGuideWords } from "./searchWords/accountGuideWords.ts";
import { actWords } from "./searchWords/actWords.ts";
import { cardGuideWords } from "./searchWords/cardGuideWords.ts";
import { declineCodeWords } from "./searchWords/declineCodeWords.ts";
import { developerGuideWords } from "./searchWords/developerGuideWords.ts";
import { errorCodeWords } from "./searchWords/errorCodeWords.ts";
import { handbookWords } from "./searchWords/handbookWords.ts";
import { moneyGuideWords } from "./searchWords/moneyGuideWords.ts";
import { moneySettingWords } from "./searchWords/moneySettingWords.ts";
import { pageWords } from "./searchWords/pageWords.ts";
import { peopleSettingWords } from "./searchWords/peopleSettingWords.ts";
import { processSettingWords } from "./searchWords/processSettingWords.ts";
import { runbookWords } from "./searchWords/runbookWords.ts";
import { runningGuideWords } from "./searchWords/runningGuideWords.ts";
import { serviceActWords } from "./searchWords/serviceActWords.ts";

/** Each address is in one of them. */
export const wordLists: readonly Readonly<Record<string, string>>[] = [
  accountGuideWords,
  cardGuideWords,
  moneyGuideWords,
  developerGuideWords,
  runningGuideWords,
  handbookWords,
  runbookWords,
  pageWords,
  processSettingWords,
  moneySettingWords,
  peopleSettingWords,
  actWords,
  serviceActWords,
  declineCodeWords,
  errorCodeWords,
];

export const searchWords: Readonly<Record<string, string>> = Object.fromEntries(
  wordLists.flatMap((words) => Object.entries(words)),
);
