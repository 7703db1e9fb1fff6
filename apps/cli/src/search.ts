import { search as runSearch, type FoundGroup, nameKind } from "@cardkeep/domain/operations/search/search";
import { buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { textArgument, withJson } from "./parameters.ts";
import { renderTable } from "./print.ts";
import { joinTexts, type Text } from "./texts.ts";

const columns = [
  { title: "id" },
  { title: "what" },
  { title: "detail", elastic: true },
  { title: "status" },
  { title: "user", optional: true },
  { title: "created" },
];

const renderGroup = ({ kind, hits, isMore }: FoundGroup): Text => {
  const rows = hits.map(({ id, title, detail, status, userId, createdAt }) => [
    id,
    title === id ? "-" : title,
    detail ?? "-",
    status ?? "-",
    userId ?? "-",
    createdAt,
  ]);
  const more = isMore ? `More than ${hits.length} were found: type more of it.\n` : "";
  return joinTexts(`${nameKind(kind)}\n`, renderTable(columns, rows, ""), more);
};

export const search = buildVerb({
  verb: "search.run",
  brief: "Searches by a part of a mail address, name or phone number, a wallet, a card, an id or a hash",
  details:
    "Finds users, Safes, IBANs, cards, payments, merchants, orders, operations, transactions, partners, deliveries, events\n" +
    "and jobs. TEXT may be a part of a mail address, name, phone number or IBAN, the beginning of a\n" +
    "merchant's name, a wallet, the last four digits of a card, a card token, an id, the id of a request or the hash of a\n" +
    "transaction.",
  example: ["search ada@example", "search 0x34065bf1fAb232fEd6B97992B4d00Cc6A31a35C3"],
  parameters: { flags: withJson({}), positional: textArgument("text", "What to search for") },
  run: async (cli: CliContext, _: object, text: string) => {
    const data = await runSearch(await cli.open(), { text });
    return {
      data,
      text:
        data.groups.length === 0
          ? "Nothing was found.\n"
          : joinTexts(...data.groups.flatMap((group, index) => [index === 0 ? "" : "\n", renderGroup(group)])),
    };
  },
});
