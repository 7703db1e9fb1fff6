/** Users: the search, and one user with cards, operations and account. */
import { cardStatusNames } from "@cardkeep/contract/cards";
import { kycStatus } from "@cardkeep/contract/kyc";
import { listAllCards } from "@cardkeep/domain/cards/listAllCards";
import { listOperations } from "@cardkeep/domain/delays/listOperations";
import { formatDebt } from "@cardkeep/domain/wording";
import { getUserDetails, listUsers, resolveUser } from "@cardkeep/domain/users/listUsers";
import { markup } from "@cardkeep/html/markup";
import { operationTable } from "./delays.ts";
import { type Action, linkTo, readChoice, readPosition, type ShowPage, splitPage } from "./page.ts";
import {
  renderCode,
  renderFields,
  renderIdLink,
  renderInstant,
  renderPager,
  renderStatus,
  renderTable,
  renderTabs,
} from "./parts.ts";
import { buildTable } from "./table.ts";

/** Cards and operations shown per user; lists show the rest. */
const shownMax = 20;

export const showUsers: ShowPage = async (visit) => {
  const status = readChoice(visit, "kyc", kycStatus.options);
  const { shown, last } = splitPage(await listUsers(visit.ctx, { kycStatus: status, ...readPosition(visit) }));
  const rows = shown.map((user) => [
    renderIdLink("/operator/users", user.id),
    user.email,
    renderStatus(user.status),
    renderStatus(user.kycStatus),
    user.country,
    renderInstant(user.createdAt),
  ]);
  return {
    title: "Users",
    body: markup`<form class="find" method="post" action="/operator/users/find">
        <label for="user">Find</label>
        <input id="user" name="user" type="search" placeholder="Id, e-mail address, wallet or Safe" required autocomplete="off" />
        <button>Find</button>
      </form>
      ${renderTabs(visit, "kyc", kycStatus.options, status)}
      ${renderTable(["User", "E-mail", "Status", "KYC", "In", "Created"], rows, "There are no such users.")}
      ${renderPager(visit, last)}`,
  };
};

/** By POST, so that mail addresses stay out of browser histories and access logs. */
export const findUser: Action = async ({ ctx, form }) => {
  const { id } = await resolveUser(ctx.db, (form.get("user") ?? "").trim());
  return linkTo(`/operator/users/${id}`);
};

export const showUser: ShowPage = async (visit) => {
  const { ctx, params } = visit;
  const user = await getUserDetails(ctx, { reference: params["id"] ?? "" });
  const [cards, operations] = await Promise.all([
    listAllCards(ctx, { user: user.id, limit: shownMax }),
    listOperations(ctx, { userId: user.id, limit: shownMax }),
  ]);
  const operationRows = buildTable(visit, { ...operationTable, rows: operations });
  const safes = user.safes.map((safe) => [
    renderCode(safe.address),
    renderStatus(safe.status),
    safe.tokenSymbol,
    renderInstant(safe.createdAt),
  ]);
  const violations = user.violations.map(({ status, reason, hash, seenAt }) => [
    renderStatus(status),
    reason,
    renderCode(hash),
    renderInstant(seenAt),
  ]);
  const cardRows = cards.map((card) => [
    renderCode(`… ${card.lastFourDigits}`),
    card.virtual ? "virtual" : "physical",
    `${card.statusCode} ${cardStatusNames[card.statusCode]}`,
    card.issuerStatus === card.issuerSyncedStatus
      ? card.issuerStatus
      : `${card.issuerSyncedStatus}, to be ${card.issuerStatus}`,
    renderInstant(card.createdAt),
  ]);
  return {
    title: "User",
    body: markup`${renderFields([
      ["Id", renderCode(user.id)],
      ["E-mail", user.email],
      ["Status", renderStatus(user.status)],
      ["KYC", renderStatus(user.kycStatus)],
      ["Source of funds", renderStatus(user.sourceOfFundsRisk)],
      ["Country", user.country ?? "–"],
      ["Phone", user.isPhoneValidated ? "validated" : "not validated"],
      ["IBAN", renderStatus(user.ibanStatus)],
      ["Owes", user.debts.map((debt) => markup`<p>${formatDebt(debt)} for ${debt.payments} card payments</p>`)],
      ["Partner", renderCode(user.partnerId)],
      ["Created", renderInstant(user.createdAt)],
      ["Sign-in wallets", user.signInWallets.map(({ address }) => markup`<p>${renderCode(address)}</p>`)],
    ])}
      <h2>Safes</h2>
      ${renderTable(["Safe", "Status", "Token", "Created"], safes, "No answers were requested.")}
      ${
        violations.length > 0 &&
        markup`<h2>The Safe's setup has changed</h2>
      <p class="lead">The cards of this account decline all payments.</p>
      ${renderTable(["Status", "Queue entry or spend", "Transaction", "Seen"], violations, "")}`
      }
      <h2>Cards</h2>
      ${renderTable(["Digits", "Kind", "Status", "At the issuer", "Created"], cardRows, "There are none.")}
      <h2>Withdrawals and other operations</h2>
      ${operationRows}
      <p class="pager"><a href="${linkTo("/operator/delays", { user: user.id })}">Show all</a></p>`,
    tables: [operationRows],
  };
};
