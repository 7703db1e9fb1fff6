/** The checks of card money: refunds, returns, debts and the accounts that pay. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { suggestFees } from "@cardkeep/chain/relayer";
import { tokenList } from "@cardkeep/chain/tokens";
import { listChangedSafes } from "@cardkeep/db/queries/accounts/integrity";
import {
  listUnmatchedThreads,
  measureWaitingReturns,
  type UnmatchedThread,
  type WaitingReturns,
} from "@cardkeep/db/queries/spending/refunds";
import { listNewestDebtors, sumDebts } from "@cardkeep/db/queries/spending/debts";
import type { Services } from "../../core/services.ts";
import { unmatchedTexts } from "../../spending/payments/recordUnmatched.ts";
import { sumReturns } from "@cardkeep/db/queries/treasury/returns";
import { approvalOf } from "../../chain/funds/approvalBudget.ts";
import { formatDebt, formatUnits } from "../../core/wording.ts";
import { type Finding, finding } from "./finding.ts";

const shownMax = 3;

/** A return that is not signed after so long is refused by the chain. */
const signedWithinMs = 60_000;

/** The returns of card money and of orders that do not go on. */
export const measureOverdueReturns = (db: Services["db"], now: Date): Promise<WaitingReturns> =>
  measureWaitingReturns(db, { now, plannedBefore: new Date(now.getTime() - signedWithinMs) });

const describe = ({ threadId, reason, currency, amountMinor }: UnmatchedThread): string =>
  `${threadId} (${amountMinor} minor units of ${currency}, ${unmatchedTexts[reason]})`;

/** No refund waits for money. */
export async function checkRefunds({ db, clock, policy }: Services): Promise<Finding> {
  const { count, oldestSeconds } = await measureOverdueReturns(db, await clock.now(db));
  if (count === 0) return finding("refunds", "ok", "None waits");
  const advice = `fund ${policy.settlementAddress} or approve ${policy.spenderAddress}, for orders at ${policy.treasuryAddress}`;
  return finding("refunds", "fault", `${count} wait for ${Math.round(oldestSeconds)} s: ${advice}`);
}

/** The issuer's threads that cannot be booked. A check of its own: one that lasts for days hides no refund that waits. */
export async function checkThreads({ db }: Pick<Services, "db">): Promise<Finding> {
  const unmatched = await listUnmatchedThreads(db, shownMax + 1);
  if (unmatched.length === 0) return finding("unbooked threads", "ok", "None is open");
  const named = `${unmatched.slice(0, shownMax).map(describe).join(", ")}${unmatched.length > shownMax ? " and more" : ""}`;
  return finding("unbooked threads", "fault", `Cannot be booked: ${named}; settle them with the card issuer`);
}

/** Gas of a return at most. */
const returnGas = 100_000n;
/** The number of returns that the spender should hold gas for. */
const returnsFundedMin = 100n;
const monthMs = 30 * dayMs;

/** The settlement account approves the spender for the usual returns and no more; the spender pays the gas of returns. */
export async function checkReturns({ chain, db, clock, policy }: Services): Promise<Finding> {
  const { settlementAddress: owner, spenderAddress: spender } = policy;
  const since = new Date((await clock.now(db)).getTime() - monthMs);
  const returns = await sumReturns(db, since);
  const approvals = await Promise.all(
    tokenList.map(async (token) => {
      const { largest, peakHour } = returns(token.symbol);
      const approved = await chain.getApproval({ token: token.address, owner, spender });
      return { token, approved, usual: largest + peakHour, full: approvalOf(policy, token) };
    }),
  );
  const name = (found: typeof approvals): string => found.map(({ token }) => token.symbol).join(", ");
  const short = approvals.filter(({ approved, usual }) => approved === 0n || approved < usual);
  const amount = formatUnits(policy.spenderApprovalCents, 2);
  if (short.length > 0)
    return finding(
      "card returns",
      "fault",
      `No refund goes back in ${name(short)}: ${owner} has to approve ${spender}, for ${amount} of each`,
    );
  const tight = approvals.filter(({ usual, full }) => usual > full);
  if (tight.length > 0) {
    const most = tight.map(({ token, usual }) => `${formatUnits(usual, token.decimals)} ${token.symbol}`).join(", ");
    return finding(
      "card returns",
      "warning",
      `Largest refund and peak hour were ${most}: raise SPENDER_APPROVAL_CENTS`,
    );
  }
  const open = approvals.filter(({ approved, full }) => approved > full * 2n);
  if (open.length > 0)
    return finding(
      "card returns",
      "warning",
      `${spender} may return more than SPENDER_APPROVAL_CENTS in ${name(open)}, and a thief of its key takes all of it: lower it by \`treasury approve\``,
    );
  const { maxFeePerGas } = suggestFees(await chain.getBlock());
  const funded = (await chain.getNativeBalance(spender)) / (returnGas * maxFeePerGas);
  return funded >= returnsFundedMin
    ? finding("card returns", "ok", "The settlement account lets the spender give money back")
    : finding("card returns", "warning", `${spender}, the spender, is out of funds soon: send it native tokens`);
}

/** Debtors and accounts that are named; the metric has their number. */
const namedMax = 5;

/** No payment is in debt. */
export async function checkDebts({ db }: Services): Promise<Finding> {
  const [debts, debtors] = await Promise.all([sumDebts(db, null), listNewestDebtors(db, namedMax)]);
  if (debts.length === 0) return finding("card debts", "ok", "None is open");
  const text = `${debts.map(formatDebt).join(", ")} did not leave the accounts of ${debtors.join(", ")}; see \`users list --owing\``;
  return finding("card debts", "warning", text);
}

/** Accounts that an entry of no known kind changes; their cards decline. */
export async function checkAccounts({ db }: Services): Promise<Finding> {
  const changed = await listChangedSafes(db, namedMax);
  if (changed.length === 0) return finding("accounts", "ok", "All as they were set up");
  const text = `Not as they were set up, so their cards decline: ${changed.join(", ")}; see \`users show\` of each`;
  return finding("accounts", "warning", text);
}
