/** How often the spender's approval of an account may be renewed without two persons. */
import { dayMs } from "@cardkeep/contract/core/durations";
import type { SettlementToken } from "@cardkeep/db/schema/chain/settlementFunds";
import type { Address } from "@cardkeep/contract/core/primitives";
import type { Token } from "@cardkeep/chain/tokens";
import type { Executor } from "@cardkeep/db/client";
import { listApprovalsSince } from "@cardkeep/db/queries/treasury/moves";
import { sumOpenItems } from "@cardkeep/db/queries/treasury/unannounced";
import { centsToBaseUnits } from "../../core/money.ts";
import type { Policy } from "../../core/policy.ts";

/** What the spender may return of an account at most, in base units of a token. */
export const approvalOf = ({ spenderApprovalCents }: Pick<Policy, "spenderApprovalCents">, token: Token): bigint =>
  centsToBaseUnits(spenderApprovalCents, token);

/**
 * Whether an account may be renewed: `open` while a renewal is under way, `used` after those of 24 hours or while money has
 * left the settlement account unannounced. The approval that stands counts as one.
 */
export async function readApprovalBudget(
  { spenderApprovalsPerDay }: Pick<Policy, "spenderApprovalsPerDay">,
  on: Executor,
  { token, account, now }: { token: SettlementToken; account: Address; now: Date },
): Promise<"free" | "open" | "used"> {
  const all = await listApprovalsSince(on, token, new Date(now.getTime() - dayMs));
  const given = all.filter(({ source, amount }) => source === account && amount > 0n);
  if (given.some(({ endedAt }) => endedAt === null)) return "open";
  if (given.length + 1 >= spenderApprovalsPerDay) return "used";
  return (await sumOpenItems(on, token)) > 0n ? "used" : "free";
}
