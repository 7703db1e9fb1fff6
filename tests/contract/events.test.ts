import { expect, test } from "bun:test";
import { askedEvents, events } from "@cardkeep/contract/partners/events";

/** As published. */
const published = `user.created user.tos.accepted kyc.status.changed kyc.source-of-funds.changed
  kyc.phone-validation.changed card.status.changed card.transaction.created card.transaction.confirmed
  card.transaction.failed card.transaction.cleared card.transaction.declined card.transaction.reversed
  card.transaction.refunded physical.card.ordered physical.card.order.status.changed physical.card.activated
  physical.card.pin.changed virtual.card.issued account.balance.changed account.limit.changed
  account.withdrawal.completed account.withdrawal.failed iban.created iban.status.changed safe.created
  safe.currency.updated safe.modules.deployed safe.owner.added safe.owner.removed`.split(/\s+/);

/** Kinds that came later; a partner that does not know them ignores them. */
const added = [
  "card.controls.changed",
  "card.dispute.updated",
  "card.wallet-token.created",
  "card.wallet-token.changed",
];

test("an added owner is described apart from the owner who signed the addition", () => {
  const { owner, addedOwner } = events["safe.owner.added"].shape;
  expect(owner.meta()?.description).toContain("signed");
  expect(addedOwner.meta()?.description).toBe("The owner that was added");
});

test("the catalogue has exactly the 29 published kinds, those that came later, and those that partners ask for", () => {
  expect(published).toHaveLength(29);
  expect(askedEvents).toEqual(["iban.order.received"]);
  expect(Object.keys(events).toSorted()).toEqual([...published, ...added, ...askedEvents].toSorted());
});
