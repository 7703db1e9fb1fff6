/** The card network's side of a dispute: won, lost, expired, its money paid and taken back. */
import { lockIssuerObject, updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { post } from "./balance.ts";
import { generateIssuerId, IssuerError, type IssuerWork, missing, toUnixSeconds } from "./route.ts";

export const disputeObject = "issuing.dispute";

/** The issuer takes a dispute up to this many days after its transaction. */
export const windowDays = 110;

const disputeData = z
  .object({
    id: z.string(),
    amount: z.number(),
    created: z.number(),
    currency: z.string(),
    status: z.enum(["unsubmitted", "submitted", "won", "lost", "expired"]),
    balance_transactions: z.array(z.object({ amount: z.number() }).loose()),
    transaction: z.string(),
  })
  .loose();
export type DisputeData = z.output<typeof disputeData>;

/** Locks a dispute. @throws IssuerError for an unknown one */
export async function lockDispute({ tx }: IssuerWork, id: string): Promise<DisputeData> {
  const row = await lockIssuerObject(tx, disputeObject, id);
  if (!row) throw missing("dispute", id);
  return disputeData.parse(row.data);
}

/** Writes a dispute, and emits its events. */
export async function changeDispute(
  { tx, emit }: Pick<IssuerWork, "tx" | "emit">,
  data: DisputeData,
  events: readonly string[],
): Promise<DisputeData> {
  await updateIssuerObject(tx, data.id, { data });
  for (const event of events) emit({ type: `issuing_dispute.${event}`, object: data });
  return data;
}

/** The dispute with money that came or went: above zero what the issuer pays. */
async function pay(work: IssuerWork, dispute: DisputeData, amount: number): Promise<DisputeData> {
  const { currency, id: source } = dispute;
  const id = generateIssuerId("txn");
  await post(work, { id, type: "issuing_dispute", amount, currency, source });
  const entry = {
    id,
    object: "balance_transaction",
    amount,
    created: toUnixSeconds(work.now),
    currency: dispute.currency,
    fee: 0,
    net: amount,
    source: dispute.id,
    status: "available",
    type: "issuing_dispute",
  };
  return { ...dispute, balance_transactions: [...dispute.balance_transactions, entry] };
}

const paidOf = ({ balance_transactions: entries }: DisputeData): number =>
  entries.reduce((sum, { amount }) => sum + amount, 0);

export const outcomes = ["win", "lose", "expire", "reinstate", "takeBack"] as const;
type Outcome = (typeof outcomes)[number];

/** The statuses in which each outcome is possible. */
const possible: Readonly<Record<Outcome, readonly DisputeData["status"][]>> = {
  win: ["submitted", "lost"],
  lose: ["submitted", "won"],
  expire: ["unsubmitted", "submitted"],
  reinstate: ["submitted", "won"],
  takeBack: ["won"],
};

/**
 * Decides a dispute. `amount` bounds what is paid or taken back, by default all; a win with 0 pays nothing yet.
 * @throws IssuerError
 */
export async function decideDispute(
  work: IssuerWork,
  id: string,
  { outcome, amount, lossReason }: { outcome: Outcome; amount?: number | undefined; lossReason?: string | undefined },
): Promise<DisputeData> {
  const dispute = await lockDispute(work, id);
  if (!possible[outcome].includes(dispute.status)) throw new IssuerError(400, `The dispute is ${dispute.status}`);
  const paid = paidOf(dispute);
  switch (outcome) {
    case "win": {
      const { loss_reason: _, ...rest } = dispute;
      const won = { ...rest, status: "won" as const };
      const part = amount ?? dispute.amount;
      return part === 0
        ? changeDispute(work, won, ["closed"])
        : changeDispute(work, await pay(work, won, part), ["closed", "funds_reinstated"]);
    }
    case "reinstate":
      return changeDispute(work, await pay(work, dispute, amount ?? dispute.amount), ["funds_reinstated"]);
    case "takeBack": {
      if (paid === 0) throw new IssuerError(400, "Nothing of the dispute was paid");
      return changeDispute(work, await pay(work, dispute, -Math.min(amount ?? paid, paid)), ["funds_rescinded"]);
    }
    case "lose": {
      const lost = { ...dispute, status: "lost" as const, loss_reason: lossReason ?? "other" };
      return paid === 0
        ? changeDispute(work, lost, ["closed"])
        : changeDispute(work, await pay(work, lost, -paid), ["closed", "funds_rescinded"]);
    }
    case "expire":
      return changeDispute(work, { ...dispute, status: "expired" as const }, ["closed"]);
  }
}
