/** An operation's timeline as text. */
import type { Timeline } from "@cardkeep/domain/delays/timeline";
import type { Sender, TimelineEntry } from "@cardkeep/domain/delays/timelineEntries";
import { describeEffect } from "./effect.ts";
import { formatInstant, formatMoment, formatUnits, renderFields, shorten } from "./print.ts";

const instantWidth = 24;
const gweiDecimals = 9;
const gwei = (wei: bigint): string => `${formatUnits(wei, gweiDecimals)} gwei`;

/** The whole timeline: what it is about, what happened, and what happens next. */
export function renderTimeline({ operation, queue, entries, jobs, chainFault }: Timeline): string {
  const head = renderFields([
    ["Operation", operation.id],
    ["Status", operation.reason === null ? operation.status : `${operation.status}: ${operation.reason}`],
    ...describeEffect(operation.effect),
    ["Safe", operation.safeAddress],
    ["Delay module", operation.delayAddress],
    ["User", operation.userId],
    ["Signer", operation.signer],
    ["Request", operation.requestId],
    ["Queue", describeQueue(operation.queueNonce, queue)],
    ["Expires", formatInstant(operation.expiresAt)],
  ]);
  const steps = renderFields(entries.map((entry) => [instantOf(entry), describe(entry)] as const));
  const next = jobs.map(
    ({ id, task, state, runAt, attempts, lastError }) =>
      `job ${id} ${task} ${state}, runs at ${formatInstant(runAt)}` +
      (lastError === null ? "" : `, failed ${attempts} times: ${lastError.split("\n", 1)[0]}`),
  );
  return [
    head,
    steps,
    ...(next.length === 0 ? [] : [renderFields([["Next", next]])]),
    ...(chainFault === null ? [] : [`Not told, because the chain was not: ${chainFault}\n`]),
  ].join("\n");
}

function describeQueue(queueNonce: bigint | null, queue: Timeline["queue"]): string {
  if (queueNonce === null) return "not in it";
  if (queue === null) return `nonce ${queueNonce}`;
  const { position, length } = queue;
  return `nonce ${queueNonce}, ${position === 0 ? "next" : `${position} before it`}, ${length} in all`;
}

/** Blocks tell whole seconds, which may lie before what led to them. */
const byTheChain: readonly TimelineEntry["step"][] = ["mined", "reverted", "queued", "ready", "executed"];

function instantOf(entry: TimelineEntry): string {
  const at = entry.step === "broadcast" ? (entry.at ?? entry.persistedAt) : entry.at;
  return (byTheChain.includes(entry.step) ? formatInstant(at) : formatMoment(at)).padEnd(instantWidth);
}

const by = ({ isOurs, address }: Sender): string =>
  isOurs ? `by us, ${shorten(address ?? "?")}` : `by a stranger, ${address ?? "unknown while the chain does not tell"}`;

/** One entry: its word, then its facts, a hash on a line of its own. */
function describe(entry: TimelineEntry): string[] {
  const word = (text: string) => text.padEnd(10);
  const under = word("");
  switch (entry.step) {
    case "accepted":
      return [`${word("accepted")}signed by ${entry.signer}`];
    case "signed":
      return [
        `${word("signed")}${entry.purpose}: nonce ${entry.nonce} of ${shorten(entry.relayer)}, gas limit ${entry.gasLimit}`,
      ];
    case "broadcast": {
      const fees = `at most ${gwei(entry.maxFeePerGas)}, tip ${gwei(entry.maxPriorityFeePerGas)} per gas`;
      const refusal = entry.refusal === null ? [] : [`${under}the node refuses it: ${entry.refusal}`];
      return [`${word(entry.at === null ? "persisted" : "broadcast")}${fees}`, `${under}${entry.hash}`, ...refusal];
    }
    case "mined":
    case "reverted":
      return [`${word(entry.step)}${entry.purpose}: block ${entry.blockNumber}`, `${under}${entry.blockHash}`];
    case "takenBack":
      return [`${word("undone")}${entry.purpose}: its block is not part of the chain any more; it is sent again`];
    case "queued":
      return [
        `${word("queued")}queue nonce ${entry.queueNonce}, block ${entry.blockNumber ?? "?"}, ${by(entry.by)}`,
        `${under}${entry.hash}`,
      ];
    case "ready":
      return [`${word("ready")}cooled down: executes once it is next in the queue`];
    case "executed":
      return [`${word("executed")}block ${entry.blockNumber ?? "?"}, ${by(entry.by)}`, `${under}${entry.hash}`];
    case "failed":
      return [`${word("failed")}${entry.reason}`];
    case "told":
      return [`${word("told")}${entry.eventType}`];
  }
}
