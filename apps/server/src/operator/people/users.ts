/** Users: the search and the list. */
import { kycStatus } from "@cardkeep/contract/verification/kyc";
import type { User } from "@cardkeep/db/queries/users/users";
import { listUsers, resolveUser } from "@cardkeep/domain/users/users/listUsers";
import { markup } from "@cardkeep/html/markup";
import { renderFilters } from "../page/filters.ts";
import { renderForeign } from "../page/foreignText.ts";
import { type Action, linkTo, readChoice, type ShowPage } from "../page/page.ts";
import { renderIdLink, renderStatus, renderTabs } from "../page/parts.ts";
import { buildList, type Column } from "../page/table.ts";

const statuses: readonly User["status"][] = ["ACTIVE", "DEACTIVATED"];
const owing = "in debt";

const columns: readonly Column<User>[] = [
  { name: "User", text: ({ id }) => id, cell: ({ id }) => renderIdLink("/operator/users", id) },
  { name: "E-mail", text: ({ email }) => email, cell: ({ email }) => renderForeign(email) },
  { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
  { name: "KYC", text: (user) => user.kycStatus, cell: (user) => renderStatus(user.kycStatus) },
  { name: "Country", text: ({ country }) => country },
  { name: "Created", text: ({ createdAt }) => createdAt },
];

export const showUsers: ShowPage = async (visit) => {
  const kyc = readChoice(visit, "kyc", kycStatus.options);
  const status = readChoice(visit, "status", statuses);
  const isOwing = readChoice(visit, "debt", [owing]) !== null;
  const users = await buildList(visit, {
    name: "users",
    none: "There are no such users.",
    columns,
    keyOf: ({ id }) => id,
    read: (position) => listUsers(visit.ctx, { kycStatus: kyc, status, owing: isOwing, ...position }),
  });
  return {
    title: "Users",
    body: markup`<form class="find" method="post" action="/operator/users/find">
        <label for="user">Find</label>
        <input id="user" name="user" type="search" placeholder="Id, e-mail address, wallet or Safe" required autocomplete="off" />
        <button>Find</button>
      </form>
      <p class="pager"><a href="/operator/search">What the search of everything finds</a></p>
      ${renderTabs(visit, "kyc", kycStatus.options, kyc)}
      ${renderFilters(visit, [
        { name: "status", label: "Status", values: statuses },
        { name: "debt", label: "Debt", values: [owing] },
      ])}
      ${users}`,
    tables: [users],
  };
};

/** By POST, so that mail addresses stay out of browser histories and access logs. */
export const findUser: Action = async ({ ctx, form }) => {
  const { id } = await resolveUser(ctx.db, (form.get("user") ?? "").trim());
  return linkTo(`/operator/users/${id}`);
};
