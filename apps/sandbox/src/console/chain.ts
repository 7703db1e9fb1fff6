/** The chain desk: its time, its money, and the queue of each Safe. */
import { nativeDecimals } from "@cardkeep/contract/core/primitives";
import { formatDuration } from "@cardkeep/contract/core/durations";
import { toDecimal, tokenList, tokens } from "@cardkeep/chain/tokens";
import { formatCountdown } from "@cardkeep/contract/core/durations";
import type { PersonRow } from "@cardkeep/db/sandbox/people";
import { listQueuedOperations, type OperationSummary } from "@cardkeep/domain/accounts/delays/listOperations";
import type { QueuedOperation } from "@cardkeep/domain/accounts/delays/queuedOperation";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderEffect } from "./amounts.ts";
import { type Desk, listShown, nameOf, renderWayOn } from "./desk.ts";
import { renderQueue } from "./queuePicture.ts";
import { renderAction, renderBadge, renderCopy, renderEmpty, renderPanel, renderSelect, type Tone } from "./parts.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

type PersonWithSafe = PersonRow & { safe: NonNullable<PersonRow["safe"]> };
const hasSafe = (person: PersonRow): person is PersonWithSafe => person.safe !== null;

const safesMax = 12;
const operationsMax = 200;
const endedMax = 5;

const tones: Readonly<Record<OperationSummary["status"], Tone>> = {
  QUEUING: "note",
  WAITING: "warn",
  EXECUTING: "note",
  EXECUTED: "good",
  FAILED: "bad",
};

/** Whether an operation has not ended. */
export const isOpen = ({ status }: OperationSummary): boolean => status !== "EXECUTED" && status !== "FAILED";

/** What an operation waits for, at a second of the chain's time. */
function formatWait({ status, readyAt, reason }: OperationSummary, chainSeconds: number): string {
  if (status === "QUEUING") return "on its way into the queue";
  if (status === "EXECUTING") return "being executed";
  if (status === "FAILED") return reason ?? "";
  if (status === "EXECUTED" || readyAt === null) return "";
  const left = Math.ceil(readyAt.getTime() / 1000) - chainSeconds;
  return left > 0 ? `executes in ${formatCountdown(left)}` : "executes when it is first in the queue";
}

/** One operation of a Safe's queue, at a second of the chain's time. */
export const renderOperation = (operation: OperationSummary, chainSeconds: number): Html =>
  markup`<li id="operation-${operation.id}">
    <div class="head">
      <p>${renderEffect(operation.effect)}</p>
      <p class="wait">${formatWait(operation, chainSeconds)}
        ${renderBadge(operation.status.toLowerCase(), tones[operation.status])}</p>
    </div>
    <p class="meta">accepted ${renderTime(operation.createdAt)}</p>
  </li>`;

async function formatBalance({ chain }: SandboxRuntime, { safe }: PersonWithSafe): Promise<string> {
  if (safe.tokenSymbol === null) return "";
  const token = tokens[safe.tokenSymbol];
  const balance = await chain.getTokenBalance(token.address, safe.address).catch(() => null);
  return balance === null ? "" : `${toDecimal(balance, token)} ${token.symbol}`;
}

async function renderSafe(
  { runtime, chainSeconds }: { runtime: SandboxRuntime; chainSeconds: number },
  person: PersonWithSafe,
  operations: readonly (OperationSummary & QueuedOperation)[],
): Promise<Html> {
  const { address, tokenSymbol } = person.safe;
  // In order of execution: the queue from its oldest operation, then the operations that ended last.
  const queue = [
    ...operations.filter(isOpen).toReversed(),
    ...operations.filter((one) => !isOpen(one)).slice(0, endedMax),
  ];
  const coins = [
    ...tokenList.map(({ symbol, decimals }) => ({ value: symbol, text: symbol, decimals })),
    { value: "native", text: "xDAI", decimals: nativeDecimals },
  ];
  return markup`<section class="panel" id="safe-${address}">
    <div class="head">
      <div>
        <h2>${nameOf(person)}</h2>
        <p class="meta"><span>Safe ${renderCopy(address)}</span> <strong>${await formatBalance(runtime, person)}</strong></p>
      </div>
      ${renderAction({
        path: "/chain/faucet",
        label: `Mint money to the Safe of ${person.email}`,
        done: "Given.",
        content: markup`<input type="hidden" name="address" value="${address}" />
          <div class="row inline">
            <input name="amount" inputmode="decimal" data-kind="units" value="100" pattern="[0-9]+([.][0-9]+)?" required aria-label="Amount" />
            ${renderSelect("token", coins, tokenSymbol ?? "EURe", "Token")}
            <button class="plain">Give</button>
          </div>`,
      })}
    </div>
    ${
      queue.length === 0
        ? renderEmpty(
            `The queue is empty. A withdrawal appears here and executes after ${formatDuration(runtime.settings.policy.cooldownSeconds)}.`,
            renderWayOn("Withdraw at the Person desk", person),
          )
        : markup`${renderQueue({ name: `queue-${address}`, now: new Date(chainSeconds * 1000), operations })}
          <ol class="rows">${queue.map((operation) => renderOperation(operation, chainSeconds))}</ol>`
    }
  </section>`;
}

export const chain: Desk = {
  id: "chain",
  title: "Chain",
  summary: "Mint money and see the queue of each Safe. The service and the chain share the clock above.",
  render: async (view) => {
    const { runtime, person, clock } = view;
    const chainSeconds = clock.block?.timestamp ?? Math.floor(clock.now.getTime() / 1000);
    const operations = await listQueuedOperations(runtime.services, {
      userId: person?.id ?? null,
      limit: operationsMax,
    });
    const ofSafe = Map.groupBy(operations, ({ safeAddress }) => safeAddress);
    const openOf = ({ safe }: PersonWithSafe): number => ofSafe.get(safe.address)?.filter(isOpen).length ?? 0;
    const holders = listShown(view)
      .filter(hasSafe)
      .toSorted((a, b) => openOf(b) - openOf(a));
    const context = { runtime, chainSeconds };
    const safes = holders
      .slice(0, safesMax)
      .map((holder) => renderSafe(context, holder, ofSafe.get(holder.safe.address) ?? []));
    return markup`${renderPanel(
      "Chain",
      markup`<dl class="figures">
          <div><dt>Chain time</dt><dd>${renderTime(new Date(chainSeconds * 1000))} UTC</dd></div>
          <div><dt>Block</dt><dd>${clock.block === null ? "unknown: the chain does not answer" : Number(clock.block.number)}</dd></div>
          <div><dt>Chain</dt><dd>${runtime.settings.policy.chainId}</dd></div>
          <div><dt>Node</dt><dd>${renderCopy(runtime.settings.rpcUrl ?? "", runtime.settings.rpcUrl)}</dd></div>
        </dl>`,
    )}
    ${safes.length === 0 ? renderEmpty("No Safe yet.", renderWayOn("Get one at the Person desk", person)) : await Promise.all(safes)}
    ${holders.length > safesMax && markup`<p class="cut-off">Only the ${safesMax} Safes with most operations are shown. Choose a person to see their Safe.</p>`}`;
  },
};
