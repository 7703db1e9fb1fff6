/** Rules of the documents' English: a sentence names its subject, and is short. */

const wordsMax = 25;

/** Words that stand for a subject without naming it. */
export const listUnnamedSubjects = (text: string): string[] =>
  [...text.matchAll(/\b(whoever|whatever|whom|nobody|somebody|tells?|told)\b/gi)].map(([word]) => word);

/** The sentences of a Markdown document with more than 25 words. */
export const listLongSentences = (text: string): string[] =>
  text
    .replaceAll(/^```[^]*?^```/gm, "")
    .split(/\n\n|\n(?=- |\d\. |\||#)|[.:;?!]\s|\s\|\s/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(/\s+/).length > wordsMax);
