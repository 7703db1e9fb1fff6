import { expect, test } from "bun:test";
import { issuerRoutes } from "@cardkeep/sandbox/issuer/api";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { guides } from "../support/guides.ts";

const packageFolder = dirname(Bun.resolveSync("stripe", `${import.meta.dir}/../../packages/providers/src`));
const paging = ["ending_before", "limit", "starting_after", "expand"];

/** The names in an interface of the issuer's package; null without that interface. */
function readNames(file: string, name: string): string[] | null {
  const text = readFileSync(`${packageFolder}/resources/${file}.d.ts`, "utf8");
  const [, indent = "", body] =
    new RegExp(`^( *)(?:export )?interface ${name} [^{]*\\{\\n([\\s\\S]*?)^\\1\\}`, "m").exec(text) ?? [];
  if (body === undefined) return null;
  return [...body.matchAll(new RegExp(`^${indent} {4}(\\w+)\\??:`, "gm"))].map(([, each = ""]) => each);
}

const capitalise = (words: string): string =>
  words.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Calls that the package has for a customer alone, by the same parameters. */
const twins: Readonly<Record<string, [file: string, name: string]>> = {
  "POST /v1/issuing/funding_instructions": ["Customers", "CustomerCreateFundingInstructionsParams"],
};

/** The file and the interface of a call's parameters, by the package's own rule for their names. */
function findInterface(method: string, path: string): [file: string, name: string] | null {
  const twin = twins[`${method} ${path}`];
  if (twin !== undefined) return twin;
  const [, helpers, noun = "", id, verb] =
    /^\/v1\/(test_helpers\/)?issuing\/(\w+)(?:\/(\{id\}))?(?:\/(\w+))?$/.exec(path) ?? [];
  if (noun === "") return null;
  const plural = capitalise(noun);
  const action =
    verb === undefined
      ? method === "GET"
        ? id === undefined
          ? "List"
          : "Retrieve"
        : id === undefined
          ? "Create"
          : "Update"
      : capitalise(verb);
  const folder = helpers === undefined ? "Issuing" : "TestHelpers/Issuing";
  return [`${folder}/${plural}`, `${plural.replace(/s$/, "")}${action}Params`];
}

/** What the issuer takes and the sandbox refuses. The guide to its strictness names each. */
const refused: Record<string, string[]> = {
  "POST /v1/issuing/cardholders": ["company"],
  "POST /v1/issuing/cardholders/{id}": ["company"],
  "POST /v1/issuing/cards": ["financial_account", "lifecycle_controls"],
  "POST /v1/issuing/cards/{id}": ["financial_account", "personalization_design", "shipping"],
  "POST /v1/test_helpers/issuing/authorizations/{id}/capture": ["purchase_details"],
  "POST /v1/test_helpers/issuing/transactions/create_force_capture": ["purchase_details"],
  "POST /v1/test_helpers/issuing/transactions/create_unlinked_refund": ["purchase_details"],
  "POST /v1/issuing/authorizations/{id}/approve": ["amount"],
  "POST /v1/test_helpers/issuing/authorizations": [
    "fleet",
    "fraud_disputability_likelihood",
    "fuel",
    "network_data",
    "risk_assessment",
    "wallet",
  ],
  "POST /v1/issuing/disputes": ["treasury"],
  "POST /v1/issuing/personalization_designs": ["carrier_text", "preferences", "transfer_lookup_key"],
  "POST /v1/issuing/personalization_designs/{id}": [
    "carrier_text",
    "physical_bundle",
    "preferences",
    "transfer_lookup_key",
  ],
  "GET /v1/issuing/personalization_designs": ["lookup_keys", "preferences"],
};

test("the sandbox's issuer takes every parameter that its package names first, but for those that the guide lists", () => {
  const missing = issuerRoutes.flatMap(({ method, path, parameters }) => {
    const found = findInterface(method, path);
    const names = (found && readNames(...found)) ?? [];
    const unknown = names.filter((name) => name !== "expand" && !parameters.includes(name));
    return unknown.length === 0 ? [] : [[`${method} ${path}`, unknown] as const];
  });
  expect(Object.fromEntries(missing)).toEqual(refused);
  const guide = guides.find(({ slug }) => slug === "strictness")?.text ?? "";
  const [, list = ""] = /refuses these parameters[^\n]*\n([^]*?)\nIt does not play/.exec(guide) ?? [];
  const named = [...new Set(Object.values(refused).flat())];
  expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(list))).toEqual([]);
});

test("the sandbox's issuer takes no parameter that its own package does not name", () => {
  const compared = issuerRoutes.flatMap(({ method, path, parameters }) => {
    const found = findInterface(method, path);
    const names = found && readNames(...found);
    if (names === null) return [];
    const known = [...names, ...(method === "GET" ? paging : []), "id"];
    return [[`${method} ${path}`, parameters.filter((name) => !known.includes(name))] as const];
  });
  expect(compared.length).toBeGreaterThan(25);
  expect(compared.map(([call]) => call)).toEqual(expect.arrayContaining(Object.keys(twins)));
  expect(compared.filter(([, unknown]) => unknown.length > 0)).toEqual([]);
});
