/** The checks of the programme's own money: how long the balance at the issuer lasts, and the gas of its accounts. */
import { hourMs } from "@cardkeep/contract/core/durations";
import { suggestFees } from "@cardkeep/chain/relayer";
import { listCover, listOpenFunds } from "@cardkeep/db/queries/treasury/issuerMoney";
import type { Services } from "../../core/services.ts";
import { formatNative, listMovingAccounts } from "../../chain/topUps/readTopUps.ts";
import { describeCover } from "../../treasury/issuerMoney/describeCover.ts";
import { formatInstant } from "../../core/wording.ts";
import { isOverdue } from "../../treasury/issuerMoney/findArrival.ts";
import { type Finding, finding } from "./finding.ts";

/** A worker reads the balance each minute. What was read so long ago says nothing of today. */
const staleMs = hourMs;

/** The balance at the issuer lasts until a bank transfer would arrive, and what was sent there arrived. */
export async function checkCover({ db, clock }: Pick<Services, "db" | "clock">): Promise<Finding> {
  const name = "cover at the issuer";
  const covers = await listCover(db);
  const now = await clock.now(db);
  const overdue = (await listOpenFunds(db)).find(({ sentAt }) => isOverdue(sentAt, now));
  if (overdue) {
    const text = `${describeCover(covers) ?? "Not read yet"}. The money of move ${overdue.id} is not there`;
    return finding(name, "warning", `${text}: ask the bank, then \`treasury give-up ${overdue.id}\``);
  }
  // One commit writes every currency.
  const readAtMs = Math.max(...covers.map(({ readAt }) => readAt.getTime()));
  if (covers.length > 0 && now.getTime() - readAtMs >= staleMs) {
    const text = `${describeCover(covers)}, as read at ${formatInstant(new Date(readAtMs))}`;
    return finding(name, "warning", `${text}: see \`chores list\`, and the worker's log for \`issuer.balance\``);
  }
  const short = describeCover(covers.filter(({ shortSince }) => shortSince !== null));
  if (short !== null) return finding(name, "warning", `${short}: see \`treasury redeem\` and \`treasury fund\``);
  return finding(name, "ok", describeCover(covers) ?? "Not read yet: a worker does it");
}

/** Gas of a move at most. */
const moveGas = 100_000n;
/** Fewer moves than that are a warning. */
const movesFundedMin = 50n;
const patternHours = 28 * 24;

/** Settlement account and treasury pay the gas of sweeps, contributions and approvals. */
export async function checkTreasuryGas(ctx: Pick<Services, "db" | "chain" | "policy" | "clock">): Promise<Finding> {
  const name = "treasury gas";
  const accounts = await listMovingAccounts(ctx);
  if (accounts.length === 0) return finding(name, "ok", "No account of the treasury has sent a transaction");
  const now = await ctx.clock.now(ctx.db);
  const { maxFeePerGas } = suggestFees(await ctx.chain.getBlock());
  const rows = await Promise.all(
    accounts.map(async ({ account, sentAt }) => {
      const held = await ctx.chain.getNativeBalance(account);
      const recent = sentAt.filter((at) => at.getTime() >= now.getTime() - patternHours * hourMs).length;
      const moves = held / (moveGas * maxFeePerGas);
      const hours = recent === 0 ? null : (moves * BigInt(patternHours)) / BigInt(recent);
      const lasts = hours === null ? "none was sent in four weeks" : `${hours} h as in the past four weeks`;
      return { moves, text: `${account} holds ${formatNative(held)} for ${moves} moves: ${lasts}` };
    }),
  );
  const text = rows.map((row) => row.text).join("; ");
  if (rows.some(({ moves }) => moves === 0n)) return finding(name, "fault", `${text}. Send native tokens`);
  const isLow = rows.some(({ moves }) => moves < movesFundedMin);
  return isLow ? finding(name, "warning", `${text}. Send native tokens soon`) : finding(name, "ok", text);
}
