import { describe, expect, test } from "bun:test";
import { nouns } from "@cardkeep/contract/nouns";
import * as tables from "@cardkeep/db/schema/tables";
import { getTableColumns, getTableName } from "drizzle-orm";
import {
  type Exception,
  findRefusedNames,
  findRefusedWords,
  findSharedNames,
  listNouns,
  readGlossary,
} from "./glossary.ts";
import { listSources } from "./sources.ts";
import { findVagueNames } from "./vagueNames.ts";

const { words, refused } = readGlossary();
const sources = listSources().filter(({ path }) => path.includes("/src/"));

const incoming = /^(?:packages\/(?:providers|domain)\/src\/(?:kyc|emoney|issuer|ibans|cards|spending)\/)/;

const exceptions: readonly Exception[] = [
  { word: "webhook", where: new RegExp(`^(?!${incoming.source.slice(1)})`), why: "A partner's webhook is outgoing." },
  { word: "client", where: /^(?!\S*partner)/, why: "A client of the API or of Postgres is no partner." },
  { word: "bank", where: /^apps\/sandbox\/src\/console\/bank\.ts /, why: "This desk plays a bank that sends money." },
  { word: "notice", where: /(?:findNotices|AccountNotice|accountNotice)$/, why: "`/safe/config` answers `notices`." },
  { word: "refusal", where: /^relay_attempts /, why: "A node refuses a transaction." },
  { word: "refusal", where: /explainRefusal$/, why: "The chain refuses a transaction." },
  { word: "refusal", where: /^packages\/providers\/src\/http\.ts /, why: "A partner refuses a request." },
  { word: "refusal", where: /^apps\/sandbox\/src\/emoney\/answers\.ts /, why: "The institution refuses a request." },
  {
    word: "difference",
    where: / difference$/,
    why: "One amount less another, of the books or of the settlement account.",
  },
];

/** Where a floor has a noun of the schema under the name of a wider one. */
const widerNouns: Readonly<Record<string, { queries?: string; domain?: string }>> = {
  envelopes: { domain: "cards" },
  deliveries: { domain: "webhooks" },
  hours: { domain: "health" },
  operatorSessions: { queries: "operators" },
  outbox: { domain: "publish" },
  relayers: { queries: "relay", domain: "relay" },
  service: { queries: "chores", domain: "housekeeping" },
  settlementFunds: { domain: "funds" },
  subscriptions: { domain: "webhooks" },
  walletTokens: { domain: "cards" },
};
/** The same for nouns of the route table. The interface document names card money `transactions`. */
const widerRouteNouns: Readonly<Record<string, { contract?: string; domain?: string }>> = {
  partners: { contract: "webhooks" },
  terms: { contract: "users", domain: "users" },
  transactions: { contract: "spending", domain: "spending" },
  walletTokens: { domain: "cards" },
};

describe("the glossary", () => {
  test("is read whole", () => {
    for (const word of ["safe", "lane", "spending", "heartbeat", "reorg"]) expect(words).toContain(word);
    for (const word of ["vault", "submitter", "processor", "webhook"]) expect(refused).toContain(word);
  });

  test("is kept by files and folders whose names say what is in them", () =>
    expect(findVagueNames(sources)).toEqual([]));

  test("refuses no word that names a file, a folder, an exported identifier or a field", () =>
    expect(findRefusedNames(sources, refused, exceptions)).toEqual([]));

  test("has one thing for each name that a file of the domain exports", () =>
    expect(findSharedNames(sources, "packages/domain/src")).toEqual([]));

  test("refuses no word that names a table or a column", () => {
    const found = Object.values(tables).flatMap((table) => {
      const name = getTableName(table);
      const columns = Object.values(getTableColumns(table)).map((column) => column.name);
      return findRefusedWords(name, [name, ...columns], refused, exceptions);
    });
    expect(Object.keys(tables).length).toBeGreaterThan(40);
    expect(found).toEqual([]);
  });

  test("names a file or a folder for each noun with rows, on every floor", () => {
    const own = ["columns", "statusLists", "tables"];
    // The tables of card money are one noun.
    const others = sources.filter(({ path }) => !path.startsWith("packages/db/src/schema/spending/"));
    const schema = [...listNouns(others, "packages/db/src/schema"), "spending"].filter((noun) => !own.includes(noun));
    const [queries, domain] = [
      listNouns(sources, "packages/db/src/queries"),
      listNouns(sources, "packages/domain/src"),
    ];
    expect(schema.length).toBeGreaterThan(10);
    expect(schema.filter((noun) => !queries.has(widerNouns[noun]?.queries ?? noun))).toEqual([]);
    expect(schema.filter((noun) => !domain.has(widerNouns[noun]?.domain ?? noun))).toEqual([]);
  });

  test("names a file or a folder for each noun of the route table, on contract and domain", () => {
    const [contract, domain] = [listNouns(sources, "packages/contract/src"), listNouns(sources, "packages/domain/src")];
    const all = Object.keys(nouns);
    expect(all.filter((noun) => !contract.has(widerRouteNouns[noun]?.contract ?? noun))).toEqual([]);
    expect(all.filter((noun) => !domain.has(widerRouteNouns[noun]?.domain ?? noun))).toEqual([]);
  });
});

describe("a planted wrong name is found:", () => {
  const plant = (path: string, text = "") => [{ path, text }];

  test("a file or a folder that does not say what is in it", () => {
    expect(findVagueNames(plant("packages/domain/src/safes/fenceLater.ts"))).toEqual([
      "packages/domain/src/safes/fenceLater.ts: fenceLater says fence",
      "packages/domain/src/safes/fenceLater.ts: fenceLater says later",
    ]);
    expect(findVagueNames(plant("apps/server/src/helpers/safe.ts"))).toHaveLength(1);
    expect(findVagueNames(plant("packages/domain/src/safes/openSafes.ts"))).toEqual([]);
  });

  test("a refused word in a file, an identifier, a field or a column", () => {
    const text =
      "export function chargeCard() {}\nexport const vaults = 1;\ninterface Use {\n  /** Sent. */\n  readonly notice?: string;\n}\n";
    expect(findRefusedNames(plant("packages/domain/src/cards/submitter.ts", text), refused, exceptions)).toEqual([
      "packages/domain/src/cards/submitter.ts: submitter says submitter",
      "packages/domain/src/cards/submitter.ts: chargeCard says charge",
      "packages/domain/src/cards/submitter.ts: vaults says vault",
      "packages/domain/src/cards/submitter.ts: notice says notice",
    ]);
    expect(findRefusedWords("cards", ["cards", "processor_id"], refused, exceptions)).toEqual([
      "cards: processor_id says processor",
    ]);
  });

  test("a name that two files export", () => {
    const text = "export async function findHead() {}\nexport type Head = string;";
    const planted = ["accounts/queue.ts", "chain/head.ts"].flatMap((path) =>
      plant(`packages/domain/src/${path}`, text),
    );
    expect(findSharedNames(planted, "packages/domain/src")).toEqual([
      "findHead: packages/domain/src/accounts/queue.ts, packages/domain/src/chain/head.ts",
    ]);
  });

  test("a word outside of the place where it is proper", () => {
    const text = "export const parseWebhook = 1;";
    expect(findRefusedNames(plant("packages/providers/src/issuer/stripe.ts", text), refused, exceptions)).toHaveLength(
      1,
    );
    expect(findRefusedNames(plant("packages/providers/src/webhooks/send.ts", text), refused, exceptions)).toEqual([]);
  });
});
