import { expect, test } from "bun:test";
import { listVerbsOf } from "@cardkeep/cli/commandVerbs";
import { nouns } from "@cardkeep/cli/nouns";
import { operatorRoles } from "@cardkeep/domain/core/actor";
import { hasRole } from "@cardkeep/domain/core/operators/requireRole";
import { findVerbRow, type OperatorVerb, operatorVerbs } from "@cardkeep/domain/core/operators/verbs";
import type { PageRoute } from "@cardkeep/server/operator/page/page";
import { formRoutes, pageRoutes } from "@cardkeep/server/operator/routes";
import { filled } from "../support/filled.ts";

test("the roles of a verb's row have the verb, and no others", () => {
  for (const verb of filled(Object.keys(operatorVerbs) as OperatorVerb[])) {
    const { roles } = findVerbRow(verb);
    const having = operatorRoles.filter((role) => hasRole({ roles: [role] }, verb));
    expect([verb, having]).toEqual([verb, operatorRoles.filter((role) => roles.includes(role))]);
  }
});

test("a page of an unknown verb does not compile", () => {
  // @ts-expect-error the table has no such verb
  const route: PageRoute = { verb: "users.fly", show: async () => ({ title: "", body: { html: "" } }) };
  expect(Object.keys(operatorVerbs)).not.toContain(route.verb);
});

test("every verb of the table is one of a page, a form or a command, or is asked for within one", () => {
  /** A part of a page, an export, and steps of other verbs. The ledger and the chores have their own pages. */
  const within = [
    "lists.export",
    "deliveries.payload",
    "approvals.ask",
    "approvals.expire",
    "ledger.list",
    "chores.list",
  ];
  const tried = new Set<OperatorVerb>([
    ...Object.values(pageRoutes).map(({ verb }) => verb),
    ...Object.values(formRoutes).map(({ verb }) => verb),
    ...nouns
      .getAllEntries()
      .flatMap(({ target }) =>
        "getAllEntries" in target
          ? target
              .getAllEntries()
              .flatMap((entry) => ("getAllEntries" in entry.target ? [] : listVerbsOf(entry.target)))
          : listVerbsOf(target),
      ),
  ]);
  const rest = Object.keys(operatorVerbs).filter((verb) => !tried.has(verb as OperatorVerb) && !within.includes(verb));
  expect(rest).toEqual([]);
});
