import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findTransfer, moveTransfer } from "@cardkeep/db/queries/spending/transfers";
import { findOrderReturn, setReturnSigned } from "@cardkeep/db/queries/cards/orderReturns";
import { settleTopUp } from "@cardkeep/db/queries/chain/topUps";
import { changeMove } from "@cardkeep/db/queries/treasury/moves";
import { findDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { hasOpenRelayTransaction, listRelayTransactions } from "@cardkeep/db/queries/chain/relay/bySubject";
import type { RelaySubject } from "@cardkeep/db/queries/chain/relay/transactions";
import type { RelayPurpose } from "@cardkeep/db/schema/chain/relayers";
import type { Work } from "../../core/context.ts";

type Renew = (work: Work, subject: RelaySubject) => Promise<void>;

const enqueueDelay: Renew = async ({ tx }, { subjectId, requestId }) => {
  const item = await findDelay(tx, subjectId);
  if (item) await enqueue(tx, "delay.relay", { safeId: item.safeId, requestId });
};

const dispatchDelay: Renew = ({ tx }, { subjectId: delayId, requestId }) =>
  enqueue(tx, "delay.dispatch", { delayId, requestId });

const deploySafe: Renew = ({ tx }, { subjectId: safeId, requestId }) =>
  enqueue(tx, "safe.deploy", { safeId, requestId });

/** The ledger still holds its money: nothing is booked until it has run. */
const carryOutTransfer: Renew = async ({ tx, now }, { subjectId: transferId, requestId }) => {
  const transfer = await findTransfer(tx, transferId);
  if (transfer && (await moveTransfer(tx, transfer, "PLANNED", { hash: null, updatedAt: now })))
    await enqueue(tx, "card.transfer", { transferId, requestId });
};

/** A move is looked for on chain by its tag before it is signed anew. */
const carryOutMove: Renew = async ({ tx, now }, { subjectId: moveId, requestId }) => {
  if (await changeMove(tx, moveId, { status: "PLANNED", hash: null, updatedAt: now }))
    await enqueue(tx, "treasury.move", { moveId, requestId });
};

const renewals: Readonly<Record<RelayPurpose, Renew>> = {
  "safe.deploy": deploySafe,
  "safe.create": deploySafe,
  "safe.setUp": deploySafe,
  "delay.enqueue": enqueueDelay,
  "delay.dispatch": dispatchDelay,
  "delay.skip": dispatchDelay,
  "delay.unblock": dispatchDelay,
  "card.spend": carryOutTransfer,
  "card.return": carryOutTransfer,
  "order.return": async ({ tx }, { subjectId: returnId, requestId }) => {
    const row = await findOrderReturn(tx, returnId);
    const sent = await listRelayTransactions(tx, returnId);
    // Another transaction of ours has paid it.
    if (row?.hash && sent.some(({ transaction }) => transaction.minedHash === row.hash)) return;
    await setReturnSigned(tx, returnId, null);
    await enqueue(tx, "order.return", { returnId, requestId });
  },
  "treasury.transfer": carryOutMove,
  "treasury.approve": carryOutMove,
  "relayer.sweep": ({ tx }, { subjectId: relayer, requestId }) => enqueue(tx, "relayer.sweep", { relayer, requestId }),
  // The next look at the balance decides whether there still is a need.
  "relayer.topUp": ({ tx, now }, { subjectId }) => settleTopUp(tx, subjectId, now, null),
  // The next look at the lane decides whether there still is a gap.
  "relayer.fill": async () => {},
};

/** Adds the job that judges a subject by the chain and signs for it anew, unless another transaction serves it. */
export async function renewSubject(work: Work, purpose: RelayPurpose, subject: RelaySubject): Promise<void> {
  if (await hasOpenRelayTransaction(work.tx, subject.subjectId, [purpose])) return;
  await renewals[purpose](work, subject);
}
