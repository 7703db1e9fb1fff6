/** Refunds that wait for the operator: for funds of the settlement account, or because they cannot be booked. */
import { listUnmatchedThreads, measureWaitingReturns, type UnmatchedThread } from "@cardkeep/db/queries/refunds";
import type { Services } from "../services.ts";
import type { Finding } from "./finding.ts";

const check = "refunds";
const shownMax = 3;

const reasons: Readonly<Record<UnmatchedThread["reason"], string>> = {
  currency: "another currency than the account's",
  card: "another card than it was decided on",
};

const describe = ({ threadId, reason, currency, amountMinor }: UnmatchedThread): string =>
  `${threadId} (${amountMinor} minor units of ${currency}, ${reasons[reason]})`;

/** Names the refunds that wait for money and the threads that cannot be booked, with what to do. */
export async function checkRefunds({ db, clock, rules }: Services): Promise<Finding> {
  const now = await clock.now(db);
  const [waiting, unmatched] = await Promise.all([
    measureWaitingReturns(db, now),
    listUnmatchedThreads(db, shownMax + 1),
  ]);
  const faults = [
    ...(waiting.count === 0
      ? []
      : [
          `${waiting.count} wait for ${Math.round(waiting.oldestSeconds)} s: fund ${rules.settlementAddress} or approve ${rules.spenderAddress}`,
        ]),
    ...(unmatched.length === 0
      ? []
      : [
          `Cannot be booked: ${unmatched.slice(0, shownMax).map(describe).join(", ")}${unmatched.length > shownMax ? " and more" : ""}; settle them with the card issuer`,
        ]),
  ];
  return faults.length === 0
    ? { check, severity: "ok", text: "None waits" }
    : { check, severity: "fault", text: faults.join(". ") };
}
