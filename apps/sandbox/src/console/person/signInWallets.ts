/** The step that adds a wallet which may sign in for the same user. */
import { markup } from "@cardkeep/html/markup";
import { renderCopy, renderField } from "../parts.ts";
import { done, open, renderCommand, renderButton, type Step } from "./step.ts";

export const wallets: Step = {
  id: "wallets",
  title: "Add a sign-in wallet",
  summary: "Another wallet may sign in for the same user. It cannot move the Safe's funds.",
  after: ["signUp"],
  isOptional: true,
  read: ({ account }) =>
    (account?.user.signInWallets.length ?? 0) > 1 ? done(`${account?.user.signInWallets.length} wallets`) : open,
  render: ({ account, wallet }) =>
    markup`<ul class="rows">
        ${account?.user.signInWallets.map(
          ({ id, address }) => markup`<li id="wallet-${id}" class="pair">
            ${renderCopy(address)}
            ${
              address !== wallet &&
              renderCommand("wallet.remove", `Remove ${address}`, [
                markup`<input type="hidden" name="id" value="${id}" />`,
                renderButton("Remove", "plain"),
              ])
            }
          </li>`,
        )}
      </ul>
      ${renderCommand(
        "wallet.add",
        "Add a sign-in wallet",
        markup`<div class="fields">
            ${renderField("Wallet", markup`<input name="address" placeholder="a new key of this page" pattern="0x[0-9a-fA-F]{40}" autocomplete="off" spellcheck="false" />`, "wide")}
          </div>
          ${renderButton("Add it")}`,
      )}`,
};
