/** The search of the documents, by questions of newcomers. */
import { expect, test } from "bun:test";
import { buildSearch } from "@cardkeep/server/docs/searchIndex";
import { findEntries } from "@cardkeep/server/docs/findEntries";
import { searchWords, wordLists } from "@cardkeep/server/docs/searchWords";
import { questions } from "../support/questions.ts";

/** What a person reads of the results. */
const readMax = 3;
/** Bytes of the index, compressed. It is loaded with the first search. */
const indexBytesMax = 240_000;

const index = buildSearch();

test("of ten questions nine are answered by one of the first three results", () => {
  const missed = questions.filter(([question, answers]) => {
    const read = findEntries(index, question).slice(0, readMax);
    return !read.some(({ href }) => answers.some((answer) => String(href).startsWith(answer)));
  });
  expect(questions.length).toBeGreaterThan(30);
  expect(missed.map(([question]) => question).slice(Math.floor(questions.length / 10))).toEqual([]);
});

test("words that a page is searched by belong to a page that there is", () => {
  const { storedFields } = index.toJSON();
  const pages = new Set(Object.values(storedFields).map((entry) => (entry as { href: string }).href));
  const named = wordLists.flatMap((words) => Object.keys(words));
  expect(named.filter((href) => !pages.has(href))).toEqual([]);
  expect(named.length).toBe(Object.keys(searchWords).length);
});

test("a name of the API comes first for its own words", () => {
  for (const name of ["cards.not_found", "card.status.changed"])
    expect(findEntries(index, name)[0]).toMatchObject({ title: name });
});

test("words without a subject find nothing, and the index is small", () => {
  expect(findEntries(index, "how do I")).toEqual([]);
  expect(Bun.gzipSync(Buffer.from(JSON.stringify(index))).length).toBeLessThan(indexBytesMax);
});
