/** The page of what operators do, by page, command and API, with the roles that may. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { findVerbRow, type OperatorVerb, operatorVerbs } from "@cardkeep/domain/core/operators/verbs";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderLink } from "./heading.ts";

export const acts: readonly OperatorVerb[] = keysOf(operatorVerbs);

/** The id of an act on its page. */
export const anchorOfAct = (verb: string): string => `act-${verb}`;

/** As a command says it. */
export const nameAct = (verb: OperatorVerb): string => verb.replace(".", " ");

function listNotes({ needsReason, twoPersons, isLocal }: ReturnType<typeof findVerbRow>): string {
  return [
    ...(needsReason ? ["with a reason"] : []),
    ...(twoPersons ? ["by two persons where OPERATOR_TWO_PERSONS names it"] : []),
    ...(isLocal ? ["at a terminal alone"] : []),
  ].join(", ");
}

function renderAct(verb: OperatorVerb): Html {
  const row = findVerbRow(verb);
  return markup`<tr class="entry" id="${anchorOfAct(verb)}">
    <td><code>${verb}</code> ${renderLink(anchorOfAct(verb))}</td>
    <td>${row.text}</td>
    <td>${row.isLocal ? "no role" : row.roles.join(", ")}</td>
    <td>${listNotes(row)}</td>
  </tr>`;
}

export const renderActs = (): Html =>
  markup`<table>
      <thead><tr><th>Act</th><th>What it does</th><th>Roles</th><th>How</th></tr></thead>
      <tbody>${acts.map(renderAct)}</tbody>
    </table>`;
