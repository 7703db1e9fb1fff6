import type { UserDetails } from "@cardkeep/domain/users/users/listUsers";
import type { Answer } from "./answer.ts";
import { renderFields } from "./print.ts";
import { phrase, tokenAmount } from "./texts.ts";

const or = (...values: (string | null)[]): string => values.filter((value) => value !== null).join(" ") || "-";

/** One user with wallets, Safes and debts, as a command answers it. */
export const answerUser = (user: UserDetails): Answer => ({
  data: user,
  text: renderFields([
    ["Id", user.id],
    ["Status", user.status],
    ["E-mail", user.email],
    ["Name", or(user.firstName, user.lastName)],
    ["Country", or(user.country)],
    ["Phone", or(user.phone)],
    ["KYC", user.kycStatus],
    ["Funds", or(user.sourceOfFundsRisk)],
    ["Partner", or(user.partnerId)],
    ["Created", user.createdAt],
    ["Wallets", user.signInWallets.map((wallet) => phrase`${wallet.address}  since ${wallet.createdAt}`)],
    ["Safes", user.safes.map((safe) => `${safe.address}  ${safe.status}  ${or(safe.tokenSymbol)}`)],
    [
      "Owes",
      user.debts.map(
        ({ owed, tokenSymbol, payments }) => phrase`${tokenAmount(owed, tokenSymbol)} for ${payments} card payments`,
      ),
    ],
    ["Changed by", user.violations.map(({ status, reason, hash }) => `${reason}  ${status}  ${hash}`)],
    ["IBAN", or(user.ibanStatus)],
    ["Operations", `${user.openDelays} open`],
  ]),
});
