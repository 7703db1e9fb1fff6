/** The people: who there is, and everything of one that other desks need. */
import { getUserDetails } from "@cardkeep/domain/users/find";
import { type Html, markup } from "@cardkeep/html/markup";
import type { PersonRow } from "@cardkeep/db/queries/console";
import { type Desk, hrefOf, nameOf, type View } from "./desk.ts";
import { renderBadge, renderCopy, renderEmpty, renderKycStatus, renderTable, renderTime } from "./parts.ts";

export const people: Desk = {
  id: "people",
  title: "People",
  summary: "Who uses the service. Choose somebody, and every desk shows what is theirs alone.",
  render: async (view) => (view.person === null ? renderList(view) : renderPerson(view, view.person)),
};

const renderSafe = ({ safe }: PersonRow): Html =>
  safe === null
    ? markup`<span class="muted">none</span>`
    : markup`${renderCopy(safe.address)} ${safe.status === "ok" ? safe.tokenSymbol : renderBadge(safe.status, "note")}`;

const renderList = ({ people: found, find }: View): Html =>
  markup`<form method="get" action="/" class="search" role="search">
      <input type="search" name="find" value="${find}" placeholder="Mail address, name or Safe" aria-label="Find people" />
      <button class="plain">Find</button>
    </form>
    ${
      found.length === 0
        ? renderEmpty(
            find === ""
              ? markup`Nobody has signed up yet. <code>bun run demo</code> plays one person's whole journey.`
              : `Nobody has “${find}” in mail address, name or Safe.`,
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
    }`;

async function renderPerson({ runtime }: View, person: PersonRow): Promise<Html> {
  const user = await getUserDetails(runtime.services, { reference: person.id });
  const facts: readonly (readonly [string, unknown, Html])[] = [
    ["Mail", user.email, renderCopy(user.email, user.email)],
    ["Phone", user.phone, markup`${user.phone} ${user.isPhoneValidated ? renderBadge("validated", "good") : ""}`],
    ["KYC", user.kycStatus, renderKycStatus(user.kycStatus)],
    ["Born", user.birthDate, markup`${user.birthDate}`],
    ["Country", user.country, markup`${user.country}`],
    ["Funds", user.sourceOfFundsRisk, markup`${user.sourceOfFundsRisk}`],
    ["Partner", user.partnerId, markup`${user.partnerId}`],
    ["Signed up", user.createdAt, renderTime(user.createdAt)],
    ["Id", user.id, renderCopy(user.id, user.id)],
  ];
  return markup`<section class="panel">
    <h2>${nameOf(person)} ${user.status !== "ACTIVE" && renderBadge("deactivated", "bad")}</h2>
    <dl>
      ${facts.map(([title, value, shown]) => value !== null && markup`<dt>${title}</dt><dd>${shown}</dd>`)}
      ${user.signInWallets.map(({ address }) => markup`<dt>Wallet</dt><dd>${renderCopy(address, address)}</dd>`)}
      ${user.safes.map(
        ({ address, status, tokenSymbol }) =>
          markup`<dt>Safe</dt><dd>${renderCopy(address, address)} ${tokenSymbol} ${renderBadge(status, status === "ok" ? "good" : "note")}</dd>`,
      )}
    </dl>
    <p><a href="/">All people</a></p>
  </section>`;
}
