/** What a user has to know of the account's state, in words. */
import type { AccountNotice } from "@cardkeep/contract/safes";
import type { TokenDebt } from "@cardkeep/db/queries/spending/debts";
import { formatDebt } from "../balances/formatDebt.ts";

/** Each standing problem of an account with what its user can do about it; no field at all while there are none. */
export function findNotices({ isChanged, debts }: { isChanged: boolean; debts: readonly TokenDebt[] }): {
  notices?: AccountNotice[];
} {
  const notices: AccountNotice[] = [
    ...(isChanged ? [{ code: "account_changed", message: changed } as const] : []),
    ...(debts.length > 0 ? [{ code: "account_owes", message: describeDebts(debts) } as const] : []),
  ];
  return notices.length === 0 ? {} : { notices };
}

const changed =
  "The card is declined: a transaction in the account's queue changes more than balances, owners or the daily limit. " +
  "If it has not been executed yet, let it expire and the card works again. If it has been executed, withdraw your money, " +
  "reset the account and deploy a new one.";

const describeDebts = (debts: readonly TokenDebt[]): string =>
  `The card is declined: ${debts.map(formatDebt).join(" and ")} of earlier card payments did not leave the account. ` +
  "Send that amount to the account. It is collected when it arrives, within the daily limit, and the card works again.";
