/** The steps of bookkeeping: statements of account, and tokens for programs. */
import { tokenScopes } from "@cardkeep/contract/core/scopes";
import { statementFormats } from "@cardkeep/contract/spending/statements";
import { markup } from "@cardkeep/html/markup";
import { renderBadge, renderField, renderSelect } from "../parts.ts";
import { done, open, renderButton, renderCommand, type Step } from "./step.ts";

const formatTexts = { json: "JSON", csv: "CSV", pdf: "PDF", camt053: "camt.053" } as const;

export const statements: Step = {
  id: "statements",
  title: "Read a statement",
  summary: "A month with both balances and every movement. A month that is over stays as it was made.",
  after: ["safe"],
  isOptional: true,
  read: () => open,
  render: ({ account }) =>
    renderCommand(
      "statement",
      "Read a statement",
      markup`<div class="fields">
          ${renderField(
            "Month",
            renderSelect(
              "month",
              (account?.statements ?? []).map(({ month, isFinal }) => ({
                value: month,
                text: isFinal ? month : `${month}, not over`,
              })),
            ),
          )}
          ${renderField(
            "Form",
            renderSelect(
              "format",
              statementFormats.map((format) => ({ value: format, text: formatTexts[format] })),
            ),
          )}
        </div>
        ${renderButton("Read it")}`,
    ),
};

export const tokens: Step = {
  id: "tokens",
  title: "Give a program a token",
  summary: "A token reads what its scopes name, and changes nothing. It is shown once, and a revoked one ends at once.",
  after: ["signUp"],
  isOptional: true,
  read: ({ account }) => {
    const active = account?.tokens.filter(({ status }) => status === "active").length ?? 0;
    return active > 0 ? done(`${active} ${active === 1 ? "token" : "tokens"}`) : open;
  },
  render: ({ account }) =>
    markup`<ul class="rows">
        ${account?.tokens.map(
          ({ id, name, scopes, status }) => markup`<li id="token-${id}" class="pair">
            <span>${name}: ${scopes.join(", ")} ${renderBadge(status)}</span>
            ${
              status === "active" &&
              renderCommand("token.revoke", `Revoke ${name}`, [
                markup`<input type="hidden" name="id" value="${id}" />`,
                renderButton("Revoke", "plain"),
              ])
            }
          </li>`,
        )}
      </ul>
      ${renderCommand(
        "token.create",
        "Make a token",
        markup`<div class="fields">
            ${renderField("Name", markup`<input name="name" value="Bookkeeping" maxlength="64" required />`)}
            ${renderField(
              "Reads",
              renderSelect(
                "scope",
                tokenScopes.map((scope) => ({ value: scope, text: scope })),
                "statements",
              ),
            )}
          </div>
          ${renderButton("Make it")}`,
      )}`,
};
