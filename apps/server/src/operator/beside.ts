/** What pages of described nouns show in addition: beside the rows of a list, and beside the fields of a row. */
import type { Row } from "@cardkeep/desk/noun";
import type { Value } from "@cardkeep/desk/value";
import { markup } from "@cardkeep/html/markup";
import { renderWaiting } from "./access/waiting.ts";
import { renderVerified } from "./access/verification.ts";
import { renderFigureCharts } from "./figureCharts.ts";
import { renderLedgerSums } from "./money/ledgerSums.ts";
import { renderBacktest } from "./money/backtest.ts";
import { renderAttempts, renderEndpoints } from "./operations/deliveries.ts";
import { renderRevertedGas } from "./operations/revertedGas.ts";
import { type Beside, linkTo, may, type Visit } from "./page/page.ts";

const findUser = markup`<form class="find" method="post" action="/operator/users/find">
    <label for="user">Find</label>
    <input id="user" name="user" type="search" placeholder="Name, e-mail address, phone, wallet or Safe" required autocomplete="off" />
    <button>Find</button>
  </form>
  <p class="pager"><a href="/operator/search">What the search of everything finds</a></p>`;

/**
 * A request of support leads to the form that ends it, for those who may use it, and to who asked, because its action is filed under
 * the payment or the person.
 */
async function renderRequestLinks(visit: Visit, { fields, offers }: Row): Promise<Beside> {
  const valueOf = (name: string) => fields.find(([field]) => field === name)?.[1][0];
  const idOf = (value: Value | undefined) => (value?.kind === "id" ? value.id : null);
  const [payment, user] = [idOf(valueOf("Payment")), idOf(valueOf("User"))];
  const subject = payment ?? user;
  if (subject === null || valueOf("Asked for") === undefined) return {};
  const key = encodeURIComponent(subject);
  const [verb, address, name] =
    payment === null
      ? (["users.erase", `/operator/users/${key}#actions`, "The form that erases the user"] as const)
      : (["payments.refund", `/operator/payments/${key}#${key}-refund-amount`, "The payment's refund form"] as const);
  const isOpen = offers["close"] !== undefined;
  return {
    before: markup`<p class="pager">
      ${isOpen && may(visit, verb) && markup`<a href="${address}">${name}</a>`}
      <a href="${linkTo("/operator/actions", { subject })}">What operators did to the ${payment === null ? "user" : "payment"}</a>
    </p>`,
  };
}

/** Of a list, by its noun. */
export const listBeside: Readonly<Record<string, (visit: Visit) => Promise<Beside>>> = {
  users: async () => ({ before: findUser }),
  figures: renderFigureCharts,
  relayers: renderRevertedGas,
  ledger: renderLedgerSums,
  deliveries: renderEndpoints,
  approvals: renderWaiting,
  actions: renderVerified,
};

/** Of one row, by its noun. */
export const rowBeside: Readonly<Record<string, (visit: Visit, row: Row) => Promise<Beside>>> = {
  partners: renderAttempts,
  rules: renderBacktest,
  cases: renderRequestLinks,
};
