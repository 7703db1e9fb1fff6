/** The people desk: all users, with the data that other desks need. */
import type { SafeStatus } from "@cardkeep/contract/accounts/safes";
import type { PersonRow } from "@cardkeep/db/sandbox/people";
import { getUserDetails } from "@cardkeep/domain/operations/people/getUserDetails";
import { type Html, markup, type Part } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { type Desk, hrefOf, nameOf, peopleMax, renderWayOn, type View } from "./desk.ts";
import { renderPersonPictures } from "./personPictures.ts";
import {
  renderBadge,
  renderCopy,
  renderCut,
  renderEmpty,
  renderKycStatus,
  renderPanel,
  renderTable,
  type Tone,
} from "./parts.ts";
import { operatorOf } from "../operator.ts";

export const people: Desk = {
  id: "people",
  title: "People",
  summary: "The users of the service. Choose one, and every desk shows only their data.",
  render: async (view) => (view.person === null ? renderList(view) : renderPerson(view, view.person)),
};

const safeTones: Readonly<Record<SafeStatus, Tone>> = {
  processing: "note",
  created: "note",
  settingUp: "note",
  ok: "good",
  failed: "bad",
  reset: "plain",
};

const renderSafe = ({ safe }: PersonRow): Html =>
  safe === null
    ? markup`<span class="muted">none</span>`
    : markup`${renderCopy(safe.address)} ${safe.status === "ok" ? safe.tokenSymbol : renderBadge(safe.status, safeTones[safe.status])}`;

const renderList = ({ people: found, find }: View): Html =>
  markup`<form method="get" action="/" class="search" role="search">
      <input type="hidden" name="desk" value="people" />
      <input type="search" name="find" value="${find}" placeholder="Mail address, name or Safe" aria-label="Find people" />
      <button class="plain">Find</button>
    </form>
    ${
      found.length === 0
        ? renderEmpty(
            find === ""
              ? "No user has signed up yet. `bun run demo` plays the whole journey of one person."
              : `No user matches “${find}” by mail address, name or Safe.`,
            renderWayOn("Be a person at the Person desk", null),
          )
        : renderTable(
            ["Person", "KYC", "Safe", "Wallet", "Signed up"],
            found.map(
              (person) =>
                markup`<tr id="person-${person.id}">
                  <td><a href="${hrefOf("people", person)}">${nameOf(person)}</a>
                    ${person.firstName !== null && markup`<small>${person.email}</small>`}
                    ${person.status !== "ACTIVE" && renderBadge("deactivated", "bad")}</td>
                  <td>${renderKycStatus(person.kycStatus)}</td>
                  <td>${renderSafe(person)}</td>
                  <td>${person.walletAddress !== null && renderCopy(person.walletAddress)}</td>
                  <td>${renderTime(person.createdAt)}</td>
                </tr>`,
            ),
          )
    }
    ${renderCut(found.length, peopleMax)}`;

async function renderPerson({ runtime }: View, person: PersonRow): Promise<Html> {
  const user = await getUserDetails(operatorOf(runtime), { reference: person.id });
  const facts: readonly (readonly [string, Part])[] = [
    ["Mail", renderCopy(user.email, user.email)],
    ["Phone", user.phone !== null && [user.phone, user.isPhoneValidated && renderBadge("validated", "good")]],
    ["KYC", renderKycStatus(user.kycStatus)],
    ["Born", user.birthDate],
    ["Country", user.country],
    ["Funds", user.sourceOfFundsRisk],
    ["Partner", user.partnerId],
    ["Signed up", renderTime(user.createdAt)],
    ["Id", renderCopy(user.id, user.id)],
    ...user.signInWallets.map(({ address }) => ["Wallet", renderCopy(address, address)] as const),
    ...user.safes.map(
      ({ address, status, tokenSymbol }) =>
        ["Safe", [renderCopy(address, address), tokenSymbol, renderBadge(status, safeTones[status])]] as const,
    ),
  ];
  const known = facts.filter(([, shown]) => shown !== null && shown !== false);
  return markup`${renderPanel(
    [nameOf(person), user.status !== "ACTIVE" && renderBadge("deactivated", "bad")],
    markup`<dl>
        ${known.map(([title, shown]) => markup`<dt>${title}</dt><dd class="parts">${shown}</dd>`)}
      </dl>
      <p><a href="${hrefOf("people", null)}">All people</a></p>`,
  )}
  ${await renderPersonPictures(runtime, person)}`;
}
