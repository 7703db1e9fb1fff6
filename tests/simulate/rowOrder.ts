/** The order of rows that no statement asks for: in Postgres it goes by where a row was written, which is not of the seed. */

const isOrdered = (text: string): boolean => {
  let rest = text.toLowerCase();
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replaceAll(/\([^()]*\)/g, "");
  }
  return rest.includes("order by") || rest.trimStart().startsWith("insert");
};

const asText = (row: unknown): string =>
  JSON.stringify(row, (_, each: unknown) => (typeof each === "bigint" ? `${each}n` : each)) ?? "";

/** Sorts the rows of a statement that orders none, in place: Postgres may answer them in any order. */
export function orderRows(text: string, answer: unknown): unknown {
  if (!Array.isArray(answer) || answer.length < 2 || isOrdered(text)) return answer;
  const keyed = answer.map((row: unknown) => ({ row, key: asText(row) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  keyed.forEach(({ row }, index) => (answer[index] = row));
  return answer;
}
