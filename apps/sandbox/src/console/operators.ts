/** The desk of the people who may sign in at `/operator`. */
import { operatorRoles as roles } from "@cardkeep/domain/core/actor";
import { type Html, markup } from "@cardkeep/html/markup";
import { groupOf, listOperators, type SandboxOperator } from "../identity/operators.ts";
import type { Desk } from "./desk.ts";
import { renderAction, renderBadge } from "./parts.ts";

const renderGroups = ({ id, name, groups }: SandboxOperator): Html =>
  markup`<div class="row">
    ${roles.map((role) => {
      const isIn = groups.includes(groupOf(role));
      const changed = isIn ? groups.filter((group) => group !== groupOf(role)) : [...groups, groupOf(role)];
      return renderAction({
        method: "PUT",
        path: `/operators/${id}/groups`,
        label: `${isIn ? "Take" : "Put"} ${name} ${isIn ? "out of" : "into"} ${groupOf(role)}`,
        done: "Changed.",
        content: markup`<input type="hidden" name="groups" data-kind="words" value="${changed.join(", ")}" />
          <button class="${!isIn && "plain"}" aria-pressed="${isIn ? "true" : "false"}">${role}</button>`,
      });
    })}
  </div>`;

const renderOperator = (operator: SandboxOperator): Html => {
  const { id, name, mail, isDisabled } = operator;
  return markup`<li id="operator-${id}">
    <div class="head">
      <div>
        <h2>${name} ${isDisabled && renderBadge("disabled", "bad")}</h2>
        <p class="meta">${mail}</p>
      </div>
      <div class="row">
        ${renderAction({
          method: "PUT",
          path: `/operators/${id}/status`,
          label: `${isDisabled ? "Enable" : "Disable"} ${name}`,
          done: "Changed.",
          content: markup`<input type="hidden" name="isDisabled" value="${isDisabled ? "false" : "true"}" />
            <button class="plain">${isDisabled ? "Enable" : "Disable"}</button>`,
        })}
        ${renderAction({
          path: `/operators/${id}/log-out`,
          label: `End the sessions of ${name}`,
          done: "The service ended the sessions.",
          content: markup`<button class="plain">End sessions</button>`,
        })}
      </div>
    </div>
    ${renderGroups(operator)}
  </li>`;
};

export const operators: Desk = {
  id: "operators",
  title: "Operators",
  summary:
    "The people who sign in at `/operator` with the sandbox's OpenID provider, and their groups. The service asks for them again every few minutes; ended sessions end at once.",
  render: async ({ runtime }) => markup`<ol class="rows">${(await listOperators(runtime)).map(renderOperator)}</ol>`,
};
