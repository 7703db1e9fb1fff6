/** What one user's page has as tables beside the lists of other nouns. */
import { violationMachine } from "@cardkeep/contract/accounts/integrity";
import type { UserOverview } from "@cardkeep/domain/operations/people/getUserOverview";
import type { PartTable } from "../noun.ts";
import { amount, code, count, id, instant, status, text } from "../value.ts";

export const listViolationsOf = ({ user }: UserOverview): PartTable => ({
  name: "violations",
  title: "The Safe's setup has changed",
  lead: "While a violation stands, the cards of this account decline all payments.",
  none: "",
  columns: ["Status", "Queue entry or spend", "Transaction", "Seen"],
  rows: user.violations.map(({ status: word, reason, hash, seenAt }) => [
    status(word, violationMachine),
    text(reason),
    code(hash),
    instant(seenAt),
  ]),
});

export const listSafesOf = ({ safes }: UserOverview): PartTable => ({
  name: "safes",
  title: "Safes and IBAN",
  none: "There is no Safe.",
  columns: ["Safe", "Status", "Token", "Created"],
  rows: safes.map(({ address, status: word, tokenSymbol, createdAt }) => [
    code(address),
    status(word),
    text(tokenSymbol),
    instant(createdAt),
  ]),
});

export const listIbanOrdersOf = ({ iban, ibanOrders }: UserOverview): PartTable => ({
  name: "iban-orders",
  title: "Money by IBAN",
  lead: iban === null ? "No IBAN was asked for." : `${iban.status} ${iban.iban ?? ""}`.trim(),
  none: "No money came or went by an IBAN.",
  columns: ["Order", "Direction", "Amount", "Status", "Rejected because", "Reference", "Mint", "Placed", "Processed"],
  rows: ibanOrders.map((order) => [
    code(order.id),
    text(order.kind === "issue" ? "in" : "out"),
    amount(`${order.amount} ${order.currency.toUpperCase()}`),
    status(order.state),
    text(order.rejectedReason, "stranger"),
    text(order.referenceNumber, "stranger"),
    code(order.mintHash),
    instant(order.placedAt),
    instant(order.processedAt),
  ]),
});

export const listWalletsOf = ({ user }: UserOverview): PartTable => ({
  name: "wallets",
  title: "Sign-in wallets",
  none: "There is no wallet.",
  columns: ["Wallet", "Added", "Signed first"],
  rows: user.signInWallets.map(({ address, createdAt, provenAt }) => [
    code(address),
    instant(createdAt),
    instant(provenAt),
  ]),
});

export const listSubscriptionsOf = ({ subscriptions }: UserOverview): PartTable => ({
  name: "subscriptions",
  title: "Subscriptions",
  none: "No partner subscribes to this user.",
  columns: ["Partner", "Deliveries so far", "Since", "Ended"],
  rows: subscriptions.map(({ partnerId, lastSequence, createdAt, endedAt }) => [
    id(partnerId, "partners"),
    count(lastSequence),
    instant(createdAt),
    instant(endedAt),
  ]),
});
