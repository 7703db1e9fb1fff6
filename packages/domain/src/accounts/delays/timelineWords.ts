/** An operation's timeline in words. */
import { formatInstant, formatMoment, formatUnits, shorten } from "../../core/wording.ts";
import type { Timeline } from "./timeline.ts";
import type { Sender, TimelineEntry } from "./timelineEntries.ts";

const gweiDecimals = 9;
const gwei = (wei: bigint): string => `${formatUnits(wei, gweiDecimals)} gwei`;

/** Where the operation stands in its Delay module's queue. */
export function describeQueue({ operation: { queueNonce }, queue }: Pick<Timeline, "operation" | "queue">): string {
  if (queueNonce === null) return "not in it";
  if (queue === null) return `nonce ${queueNonce}`;
  const { position, length } = queue;
  return `nonce ${queueNonce}, ${position === 0 ? "next" : `${position} before it`}, ${length} in all`;
}

/** Block times are whole seconds, and may lie before the instants of the steps that led to them. */
const byTheChain: readonly TimelineEntry["step"][] = ["mined", "reverted", "queued", "ready", "executed"];

function formatEntryInstant(entry: TimelineEntry): string {
  const at = entry.step === "broadcast" ? (entry.at ?? entry.persistedAt) : entry.at;
  return byTheChain.includes(entry.step) ? formatInstant(at) : formatMoment(at);
}

const by = ({ isOurs, address }: Sender): string =>
  isOurs
    ? `by us, ${shorten(address ?? "?")}`
    : `by a stranger, ${address ?? "unknown while the chain does not answer"}`;

const nameTransaction = (hash: string): string => `transaction ${hash}`;

export interface EntryWords {
  /** When, as precisely as it is known; `-` where it is unknown. */
  at: string;
  /** What happened, in one word. */
  word: string;
  /** Its details, a line each; a hash has a line of its own. */
  facts: string[];
}

/** One entry in words. */
export const describeEntry = (entry: TimelineEntry): EntryWords => ({
  at: formatEntryInstant(entry),
  ...describeStep(entry),
});

function describeStep(entry: TimelineEntry): Pick<EntryWords, "word" | "facts"> {
  switch (entry.step) {
    case "accepted":
      return { word: "accepted", facts: [`signed by ${entry.signer}`] };
    case "signed": {
      const { purpose, nonce, relayer, gasLimit } = entry;
      return { word: "signed", facts: [`${purpose}: nonce ${nonce} of ${shorten(relayer)}, gas limit ${gasLimit}`] };
    }
    case "broadcast": {
      const fees = `at most ${gwei(entry.maxFeePerGas)}, tip ${gwei(entry.maxPriorityFeePerGas)} per gas`;
      const refusal = entry.refusal === null ? [] : [`the node refuses it: ${entry.refusal}`];
      return {
        word: entry.at === null ? "persisted" : "broadcast",
        facts: [fees, nameTransaction(entry.hash), ...refusal],
      };
    }
    case "mined":
    case "reverted":
      return {
        word: entry.step,
        facts: [`${entry.purpose}: block ${entry.blockNumber}`, `block hash ${entry.blockHash}`],
      };
    case "rolledBack":
      return {
        word: "rolled back",
        facts: [`${entry.purpose}: its block is not part of the chain any more; it is sent again`],
      };
    case "lost": {
      const cause = `${entry.purpose}: another program used its nonce; it is signed anew with the next one`;
      return { word: "lost", facts: entry.hash === null ? [cause] : [cause, nameTransaction(entry.hash)] };
    }
    case "queued": {
      const place = `queue nonce ${entry.queueNonce}, block ${entry.blockNumber ?? "?"}, ${by(entry.by)}`;
      return { word: "queued", facts: [place, nameTransaction(entry.hash)] };
    }
    case "ready":
      return { word: "ready", facts: ["cooled down: executes once it is next in the queue"] };
    case "executed":
      return {
        word: "executed",
        facts: [`block ${entry.blockNumber ?? "?"}, ${by(entry.by)}`, nameTransaction(entry.hash)],
      };
    case "failed":
      return { word: "failed", facts: [entry.reason] };
    case "published":
      return { word: "published", facts: [entry.eventType] };
  }
}
