/** The steps that the wallet signs and the Delay module holds for three minutes: withdrawal, daily limit, owners. */
import type { OperationSummary } from "@cardkeep/domain/accounts/delays/listOperations";
import { nativeToken, nativeDecimals } from "@cardkeep/contract/core/primitives";
import { type Html, markup } from "@cardkeep/html/markup";
import { isOpen, renderOperation } from "../chain.ts";
import { renderAction, renderCopy, renderField, renderSelect } from "../parts.ts";
import { formatLimit, tokenOf } from "./money.ts";
import type { PersonState } from "./personState.ts";
import { done, open, type Progress, renderCommand, renderButton, type Step } from "./step.ts";

type Kind = OperationSummary["effect"]["kind"];

const shownMax = 4;

const listOf = ({ account }: PersonState, kinds: readonly Kind[]): OperationSummary[] =>
  account?.operations.filter(({ effect }) => kinds.includes(effect.kind)) ?? [];

/** How far the newest of some operations is. */
function readOperations(person: PersonState, kinds: readonly Kind[], note: string): Progress {
  const [newest] = listOf(person, kinds);
  if (newest === undefined) return open;
  if (isOpen(newest)) return { state: "waiting", note: "In the Delay module" };
  if (newest.status === "FAILED") return { state: "failed", note: newest.reason ?? "It failed" };
  return done(note);
}

/** A second longer than the delay, so that it is over. */
const delaySeconds = 181;

/** The operations of some kinds with their countdowns, and a button that lets the delay pass. */
function renderQueue(person: PersonState, kinds: readonly Kind[]): Html {
  const listed = listOf(person, kinds).slice(0, shownMax);
  if (listed.length === 0) return markup``;
  const canAdvance = person.runtime.settings.localChain && listed.some(isOpen);
  return markup`<ol class="rows">${listed.map((each) => renderOperation(each, person.chainSeconds ?? 0))}</ol>
    ${
      canAdvance &&
      renderAction({
        path: "/chain/advance",
        label: "Advance the clock",
        done: "Three minutes passed, for the service and the chain.",
        content: markup`<input type="hidden" name="seconds" value="${delaySeconds}" data-kind="number" />
          ${renderButton("Advance the clock three minutes", "plain")}`,
      })
    }`;
}

const anywhere = "0x000000000000000000000000000000000000bEEF";

export const withdraw: Step = {
  id: "withdraw",
  title: "Withdraw",
  summary:
    "The service answers with typed data, the wallet signs it, and the withdrawal waits three minutes in the Delay module.",
  after: ["money"],
  read: (person) => readOperations(person, ["withdrawal"], "Executed"),
  render: (person) => {
    const token = tokenOf(person.account);
    return markup`${renderCommand(
      "withdraw",
      "Withdraw",
      markup`<div class="fields">
          ${renderField("Amount", markup`<input name="amount" inputmode="decimal" data-kind="units" value="40" pattern="[0-9]+([.][0-9]+)?" required />`)}
          ${renderField(
            "Token",
            renderSelect("tokenAddress", [
              { value: token.address, text: token.symbol, decimals: token.decimals },
              { value: nativeToken, text: "xDAI", decimals: nativeDecimals },
            ]),
          )}
          ${renderField("To", markup`<input name="to" value="${anywhere}" pattern="0x[0-9a-fA-F]{40}" required autocomplete="off" spellcheck="false" />`, "wide")}
        </div>
        ${renderButton("Sign and withdraw")}`,
    )}
    ${renderQueue(person, ["withdrawal"])}`;
  },
};

const suggestedLimit = 500;

export const limit: Step = {
  id: "limit",
  title: "Change the daily limit",
  summary:
    "The allowance of the Roles module limits what the cards spend a day. A change waits in the Delay module too.",
  after: ["safe"],
  read: (person) =>
    readOperations(person, ["limit"], person.account?.limit ? `${person.account.limit.dailyLimit} a day` : "Changed"),
  render: (person) =>
    markup`${person.account?.limit && markup`<p class="muted">${formatLimit(person.account, person.account.limit)} are left today.</p>`}
    ${renderCommand(
      "limit",
      "Change the daily limit",
      markup`<div class="fields">
          ${renderField("New limit a day", markup`<input name="newLimit" type="number" min="1" max="8000" value="${suggestedLimit}" required />`)}
        </div>
        ${renderButton("Sign and change it")}`,
    )}
    ${renderQueue(person, ["limit"])}`,
};

export const owners: Step = {
  id: "owners",
  title: "Add or remove an owner",
  summary:
    "An owner's wallet may move the Safe's funds. Without an address the page makes a new key for the new owner. The last owner cannot be removed.",
  after: ["safe"],
  read: (person) =>
    readOperations(person, ["owner.add", "owner.remove"], `${person.account?.owners.length ?? 0} owners`),
  render: (person) =>
    markup`<ul class="rows">
        ${person.account?.owners.map(
          (address) => markup`<li id="owner-${address}" class="pair">
            ${renderCopy(address)}
            ${
              (person.account?.owners.length ?? 0) > 1 &&
              renderCommand("owner.remove", `Remove ${address}`, [
                markup`<input type="hidden" name="ownerToRemove" value="${address}" />`,
                renderButton("Remove", "plain"),
              ])
            }
          </li>`,
        )}
      </ul>
      ${renderCommand(
        "owner.add",
        "Add an owner",
        markup`<div class="fields">
            ${renderField("Wallet of the new owner", markup`<input name="newOwner" placeholder="a new key of this page" pattern="0x[0-9a-fA-F]{40}" autocomplete="off" spellcheck="false" />`, "wide")}
          </div>
          ${renderButton("Sign and add it")}`,
      )}
      ${renderQueue(person, ["owner.add", "owner.remove"])}`,
};
