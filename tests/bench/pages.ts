/** Pages that grow with the service: each list of the operator with its filters and far pages, details, and desks of the sandbox. */
import { nameDelivery, nameRow } from "./fill.ts";

/** Has a tenth of all operations and payments, with one card and one Safe. */
const user = "old-1";
const safe = `0xb${"1".padStart(39, "0")}`;
const mail = "old-1001@example.org";
const month = { from: "2020-01-01", until: "2100-01-01" };

const build = (path: string, queries: readonly Readonly<Record<string, string>>[] = [{}]): string[] =>
  queries.map((query) => (Object.keys(query).length === 0 ? path : `${path}?${new URLSearchParams(query)}`));

const each = (name: string, values: readonly string[], query: Readonly<Record<string, string>> = {}) =>
  values.map((value) => ({ ...query, [name]: value }));

/** Addresses of the operator's pages. */
export const operatorPages: readonly string[] = [
  "/operator",
  ...build("/operator/figures", [{}, ...each("period", ["week", "month"])]),
  ...build("/operator/users", [
    {},
    { after: "old-500" },
    { status: "DEACTIVATED" },
    { owing: "yes" },
    ...each("kyc", ["approved", "rejected"]),
  ]),
  ...build(`/operator/users/${user}`),
  ...build(`/operator/users/${user}/history`, [
    {},
    { after: `${Date.now() - 86_400_000}_operation:old-10` },
    ...each("kind", ["payment", "operation", "event", "action"]),
  ]),
  ...build("/operator/cards", [{}, { user }, { after: "old-500", status: "1000" }, { status: "1062" }]),
  ...build("/operator/cards/old-1"),
  ...build("/operator/orders", [{}, { user }, { status: "CANCELLED" }, { after: "old-500" }]),
  ...build("/operator/orders/old-1"),
  ...build("/operator/payments", [
    {},
    { user },
    { user, status: "DECLINED" },
    { card: "old-1", after: nameRow(500) },
    { merchant: "Shop 7" },
    { merchant: "nowhere" },
    ...each("reason", ["account_paused", "none"]),
    ...each("status", ["CLEARED", "AUTHORIZED", "DECLINED"], { after: nameRow(500) }),
  ]),
  ...build(`/operator/payments/${nameRow(10)}`),
  ...build("/operator/disputes", [
    {},
    { user },
    { user: "old-7" },
    { due: "yes" },
    { after: nameRow(500) },
    ...each("status", ["requested", "created", "lost", "won"]),
    ...each("status", ["created", "lost"], { user }),
  ]),
  ...build(`/operator/disputes/${nameRow(10)}`),
  ...build("/operator/cases", [
    {},
    { user },
    { payment: nameRow(10) },
    { after: nameRow(500) },
    ...each("kind", ["over_capture", "dispute_loss"]),
    ...each("status", ["OPEN", "CLOSED"]),
    { status: "OPEN", kind: "dispute_loss" },
    { status: "OPEN", user },
  ]),
  ...build(`/operator/cases/${nameRow(10)}`),
  ...build("/operator/rules", [
    {},
    { after: "old-500" },
    ...each("scope", ["programme", "partner", "user", "card"]),
    { subject: user },
  ]),
  ...build("/operator/rules/old", [{}, { after: nameRow(500) }]),
  ...build("/operator/rules/old-1"),
  ...build("/operator/delays", [
    {},
    { after: "old-500" },
    ...each("status", ["QUEUING", "WAITING", "EXECUTED", "FAILED"]),
    ...each("status", ["WAITING", "EXECUTED", "FAILED"], { user }),
    { user },
    { user, after: "old-500" },
    { safe },
    { safe, status: "FAILED" },
  ]),
  ...build("/operator/delays/old-10"),
  ...build("/operator/ledger", [{}, month, { ...month, safe }, { payment: nameRow(10) }]),
  ...build("/operator/deliveries", [
    {},
    { partner: "old", after: nameDelivery(500) },
    { partner: "old-rare" },
    ...each("status", ["PENDING", "FAILED", "KEPT"]),
    ...each("status", ["PENDING", "FAILED", "KEPT"], { partner: "old" }),
    { partner: "old-rare", status: "FAILED" },
  ]),
  ...build(`/operator/deliveries/${nameDelivery(5)}`),
  ...build("/operator/deliveries/resend", [
    { partner: "old", ...month },
    { partner: "old-rare", ...month },
  ]),
  "/operator/partners",
  "/operator/partners/old",
  "/operator/partners/old-rare",
  ...build("/operator/callbacks", [{}, { type: "issuing" }, { outcome: "refused" }]),
  ...build("/operator/jobs", [{}, ...each("state", ["waiting", "scheduled", "failed"])]),
  ...build("/operator/actions", [
    {},
    ...each("subject", [user, "nothing"]),
    ...each("operator", ["old", "old-1"]),
    ...each("verb", ["users.erase", "users.risk", "cards.restore"]),
    { verb: "users.erase", subject: user },
    { verb: "users.risk", operator: "old-1" },
    { after: "500" },
  ]),
  "/operator/actions/10",
  ...build("/operator/approvals", [
    {},
    { after: nameRow(500) },
    ...each("status", ["WAITING", "APPROVED", "REJECTED"]),
  ]),
  "/operator/operators",
  "/operator/roles",
  "/operator/chores",
  "/operator/stops",
  ...build("/operator/relayers"),
];

const desks = ["people", "messages", "kyc", "chain", "terminal", "disputes", "bank", "inbox", "person", "names"];

/** Addresses of the sandbox's pages and lists. */
export const sandboxPages: readonly string[] = [
  ...build("/", [
    ...each("desk", ["start", ...desks]),
    ...each("desk", desks, { person: user }),
    ...each("find", ["majo", "gmail", "xyzzy", safe], { desk: "people" }),
  ]),
  ...build("/mailbox", [{}, { to: mail }]),
  "/issuer/disputes",
];
