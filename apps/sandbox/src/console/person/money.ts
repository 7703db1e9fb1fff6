/** The steps about the Safe and its money: deployment, faucet. */
import { nativeDecimals } from "@cardkeep/contract/core/primitives";
import { toDecimal, tokenList, tokens } from "@cardkeep/chain/tokens";
import { padDecimals } from "@cardkeep/domain/core/wording";
import { markup } from "@cardkeep/html/markup";
import { renderAction, renderCopy, renderField, renderSelect } from "../parts.ts";
import type { Account } from "./personState.ts";
import { done, open, type Progress, renderCommand, renderButton, type Step } from "./step.ts";

/** The token of the person's Safe; EURe before there is one. */
export const tokenOf = (account: Account | null) => tokens[account?.user.safeWallets[0]?.tokenSymbol ?? "EURe"];

/** An amount of the Safe's token, as people say it. */
export function formatAmount(account: Account, amount: bigint): string {
  const token = tokenOf(account);
  return `${padDecimals(toDecimal(amount, token))} ${token.symbol}`;
}

/** What is left of the daily limit, as people say it. */
export const formatLimit = (account: Account, { dailyRemaining, dailyLimit }: NonNullable<Account["limit"]>): string =>
  `${padDecimals(String(dailyRemaining))} of ${padDecimals(String(dailyLimit))} ${tokenOf(account).symbol}`;

const deployments: Readonly<Record<Account["deployment"], Progress>> = {
  not_deployed: open,
  processing: { state: "waiting", note: "The worker deploys it" },
  ok: done(),
  failed: { state: "failed", note: "The chain rejected the deployment" },
};

export const safe: Step = {
  id: "safe",
  title: "Get a Safe account",
  summary:
    "The service deploys the person's Safe on chain, with the Delay and Roles modules. The wallet becomes its owner, and no signature is needed.",
  after: ["identity"],
  read: ({ account }) => (account === null ? open : deployments[account.deployment]),
  render: ({ account }) =>
    account?.safe
      ? markup`<p>${renderCopy(account.safe, account.safe)}</p>`
      : account?.deployment === "processing"
        ? markup`<p><progress aria-label="Deployment of the Safe"></progress> <span class="muted">The worker sends the transaction and waits for it.</span></p>`
        : renderCommand(
            "safe",
            "Deploy the Safe",
            markup`<div class="fields">
                ${renderField("Daily limit of the cards", markup`<input name="dailyLimit" type="number" min="1" value="350" required />`)}
              </div>
              ${renderButton("Deploy the Safe")}`,
          ),
};

export const money: Step = {
  id: "money",
  title: "Receive money on chain",
  summary: "The sandbox's faucet mints test money to the Safe.",
  after: ["safe"],
  read: ({ account }) =>
    account?.balances && account.balances.total > 0n ? done(formatAmount(account, account.balances.total)) : open,
  render: ({ account }) =>
    renderAction({
      path: "/chain/faucet",
      label: "Mint money to the Safe",
      done: "The money arrived.",
      content: markup`<input type="hidden" name="address" value="${account?.safe ?? ""}" />
        <div class="fields">
          ${renderField("Amount", markup`<input name="amount" inputmode="decimal" data-kind="units" value="250" pattern="[0-9]+([.][0-9]+)?" required />`)}
          ${renderField(
            "Token",
            renderSelect(
              "token",
              [
                ...tokenList.map(({ symbol, decimals }) => ({ value: symbol, text: symbol, decimals })),
                { value: "native", text: "xDAI", decimals: nativeDecimals },
              ],
              tokenOf(account).symbol,
            ),
          )}
        </div>
        ${renderButton("Mint")}`,
    }),
};
