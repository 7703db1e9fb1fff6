/** What each role may do, noun by noun and act by act: the tables of nouns and verbs, as the pages, commands, API and assistants obey them. */
import { isForPeople } from "@cardkeep/desk/isForPeople";
import type { NounAct } from "@cardkeep/desk/noun";
import { deskNouns } from "@cardkeep/desk/nouns";
import { operatorRoles } from "@cardkeep/domain/core/actor";
import { findVerbRow, type OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import { markup } from "@cardkeep/html/markup";
import type { ShowPage } from "../page/page.ts";
import { renderCode } from "../page/parts.ts";
import { buildTable } from "../page/table.ts";

interface Right {
  readonly noun: string;
  readonly act: string;
  readonly verb: OperatorVerb;
  readonly isForPeople: boolean;
}

const listRights = (): Right[] =>
  deskNouns.flatMap(({ title, list, show, acts }) => {
    const readings = { list, ...(show && { show }) };
    return [
      ...Object.entries(readings).map(([act, { verb }]) => ({ noun: title, act, verb, isForPeople: false })),
      ...Object.entries(acts).map(([act, described]: [string, NounAct]) => ({
        noun: title,
        act,
        verb: described.verb,
        isForPeople: isForPeople(described),
      })),
    ];
  });

const nameFlag = (isSo: boolean): string | null => (isSo ? "yes" : null);

export const showRoles: ShowPage = async (visit) => {
  const { twoPersons } = visit.ctx.policy.operators;
  const table = buildTable(visit, {
    name: "roles",
    none: "There are no nouns.",
    rows: listRights(),
    columns: [
      { name: "Noun", text: ({ noun }: Right) => noun },
      { name: "Act", text: ({ act }) => act, cell: ({ act }) => renderCode(act) },
      ...operatorRoles.map((role) => ({
        name: role,
        text: ({ verb }: Right) => nameFlag(findVerbRow(verb).roles.includes(role)),
      })),
      { name: "Reason", text: ({ verb }) => nameFlag(findVerbRow(verb).needsReason) },
      { name: "Second person", text: ({ verb }) => nameFlag(twoPersons.some((named) => named === verb)) },
      { name: "Assistants", text: ({ isForPeople: isOut }) => (isOut ? "never" : "yes") },
    ],
  });
  return {
    title: "Roles",
    body: markup`<p class="lead">
        Pages, commands and the operator's API allow the same. An assistant has the roles of its operator, reads, and acts
        where <code>--allow-changes</code> is given. Second persons are those that the settings ask for here.
      </p>
      ${table}`,
    tables: [table],
  };
};
