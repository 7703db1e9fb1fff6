/** What an operator may do to a user, each behind a confirmation. */
import type { LegalHold } from "@cardkeep/db/queries/users/records";
import type { ContactChange } from "@cardkeep/db/queries/users/contactChanges";
import type { User } from "@cardkeep/db/queries/users/users";
import { risks } from "@cardkeep/db/schema/users/users";
import { fail } from "@cardkeep/contract/core/errors";
import { setRisk } from "@cardkeep/domain/verification/sourceOfFunds/setQuestions";
import { endAccess } from "@cardkeep/domain/users/users/endAccess";
import { requestContactChange, withdrawContactChange } from "@cardkeep/domain/verification/contacts/requestChange";
import { eraseUser } from "@cardkeep/domain/users/users/eraseUser";
import { liftHold, placeHold } from "@cardkeep/domain/users/users/legalHold";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import type { OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderConfirm } from "../page/confirm.ts";
import { type Action, linkTo, may, type Visit } from "../page/page.ts";

type Subject = Pick<User, "id" | "status" | "erasedAt" | "sourceOfFundsRisk">;

/** The confirmations for a user as the row is now, as far as the operator's roles allow them. */
export function renderUserActions(
  visit: Visit,
  { id, status, erasedAt, sourceOfFundsRisk }: Subject,
  twoPersons: readonly OperatorVerb[],
  hold: LegalHold | null,
  change: ContactChange | null,
  underWay: readonly string[],
): Html | null {
  const verbs = [
    "users.deactivate",
    "users.activate",
    "users.end-access",
    "users.risk",
    "users.change-contact",
    "users.withdraw-contact",
    "users.export",
    "users.hold",
    "users.release",
    "users.erase",
  ] as const;
  if (erasedAt !== null || !verbs.some((verb) => may(visit, verb))) return null;
  const second = (verb: OperatorVerb) => twoPersons.includes(verb) && " A second person has to approve it.";
  const to = (verb: string) => `/operator/users/${id}/${verb}`;
  const isActive = status === "ACTIVE";
  return markup`<h2>What may be done</h2>
    <div class="actions">
      ${
        isActive
          ? may(visit, "users.deactivate") &&
            renderConfirm({
              action: to("deactivate"),
              label: "Deactivate this user",
              consequence:
                "The user can then only read and withdraw, and the cards decline. It can be undone at any time.",
              isDanger: true,
            })
          : may(visit, "users.activate") &&
            renderConfirm({
              action: to("activate"),
              label: "Activate this user",
              consequence: "The user can do everything again, and the cards spend again.",
            })
      }
      ${
        may(visit, "users.end-access") &&
        renderConfirm({
          action: to("end-access"),
          label: "End every access token",
          consequence:
            "The user is signed out everywhere within a second, and may sign in again with the same wallets.",
        })
      }
      ${
        may(visit, "users.risk") &&
        renderConfirm({
          action: to("risk"),
          label: "Set the risk of the source of funds",
          consequence: markup`With risk red the user gets no further card.${second("users.risk")}`,
          fields: markup`<label for="risk">Risk</label>
          <select id="risk" name="risk">
            ${risks.map((risk) => markup`<option${risk === sourceOfFundsRisk && markup` selected`}>${risk}</option>`)}
          </select>`,
        })
      }
      ${
        isActive &&
        may(visit, "users.change-contact") &&
        renderConfirm({
          action: to("change-contact"),
          label: "Change the mail address or phone number",
          consequence:
            "The user gets a link at another proven contact, for a day, and then a code at the new one. Nothing changes unless the " +
            "user agrees. For a day afterwards no card number or PIN is shown.",
          fields: markup`<label for="contact-kind">Contact</label>
            <select id="contact-kind" name="kind"><option value="email">E-mail</option><option value="phone">Phone</option></select>
            <label for="contact-value">New address, or number such as +4915112345678</label>
            <input id="contact-value" name="value" required autocomplete="off" />`,
        })
      }
      ${
        change !== null &&
        may(visit, "users.withdraw-contact") &&
        renderConfirm({
          action: to("withdraw-contact"),
          label: "Take back the change of a contact",
          consequence: "Its link serves no more.",
        })
      }
      ${
        may(visit, "users.export") &&
        renderConfirm({
          action: to("export"),
          label: "Export all data of this user",
          consequence: "A JSON file with all personal data, for the user to have. The action log records who took it.",
        })
      }
      ${
        hold === null
          ? may(visit, "users.hold") &&
            renderConfirm({
              action: to("hold"),
              label: "Place a legal hold",
              consequence:
                "Nothing of this user is erased, and nothing that the law keeps is deleted, until it is lifted.",
            })
          : may(visit, "users.release") &&
            renderConfirm({
              action: to("release"),
              label: "Lift the legal hold",
              consequence: "The user can be erased again, and what the law keeps is deleted at its date.",
            })
      }
      ${
        hold === null &&
        may(visit, "users.erase") &&
        renderConfirm({
          action: to("erase"),
          label: "Erase this user",
          consequence: markup`The personal data are gone for good, and every sign-in ends. The books stay without names, and
            what the law wants kept is sealed until its date. ${underWay.length === 0 ? "Nothing is under way." : markup`<strong>It would be refused now, because something is under way: ${underWay.join(", ")}.</strong>`}${second("users.erase")}`,
          isDanger: true,
        })
      }
    </div>`;
}

const reference = (params: Readonly<Record<string, string>>): string => params["id"] ?? "";
const backTo = (id: string): string => linkTo(`/operator/users/${id}`, { done: "done" });

export const deactivate: Action = async ({ ctx, params }) =>
  backTo((await setUserStatus(ctx, { reference: reference(params), status: "DEACTIVATED" })).id);

export const activate: Action = async ({ ctx, params }) =>
  backTo((await setUserStatus(ctx, { reference: reference(params), status: "ACTIVE" })).id);

export const endTokens: Action = async ({ ctx, params }) =>
  backTo((await endAccess(ctx, { reference: reference(params) })).userId);

export const changeRisk: Action = async ({ ctx, params, form }) => {
  const risk = risks.find((known) => known === form.get("risk")) ?? fail("request.invalid", { text: "Choose a risk" });
  return backTo((await setRisk(ctx, { reference: reference(params), risk })).id);
};

export const erase: Action = async ({ ctx, params }) =>
  backTo((await eraseUser(ctx, { reference: reference(params) })).userId);

export const changeContact: Action = async ({ ctx, params, form }) => {
  const input = { kind: form.get("kind") ?? "", value: form.get("value") ?? "" };
  return backTo((await requestContactChange(ctx, { reference: reference(params), ...input })).userId);
};

export const withdrawContact: Action = async ({ ctx, params }) =>
  backTo((await withdrawContactChange(ctx, { reference: reference(params) })).userId);

export const hold: Action = async ({ ctx, params }) =>
  backTo((await placeHold(ctx, { reference: reference(params) })).userId);

export const release: Action = async ({ ctx, params }) =>
  backTo((await liftHold(ctx, { reference: reference(params) })).userId);
