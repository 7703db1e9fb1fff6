import { listSignerReports, type SignerState } from "@cardkeep/db/queries/chain/signers";
import { reportSecondsMax } from "./reportSigners.ts";
import type { Services } from "../../core/services.ts";
import { formatInstant } from "../../core/wording.ts";

/** A failing signer, from one worker's report or its memory. */
interface FailingSigner extends Pick<SignerState, "address" | "kind" | "isPaused"> {
  fault: "unavailable" | "wrong";
  reason: string;
  since: Date;
}

const move = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000);

const describe = ({ address, kind, fault, reason, since, isPaused }: FailingSigner): string => {
  const what = fault === "wrong" ? "uses another key" : "does not answer or refuses";
  const text = `The ${kind} signer of ${address} ${what} since ${formatInstant(since)}: ${reason}`;
  return isPaused ? `${text}; calls are paused for 5 s at a time` : text;
};

/** The failing signers of this worker, as text, by a clock that is so far ahead of the wall clock; null where none fails. */
export function describeOwnSigners(states: readonly SignerState[], offsetSeconds: number): string | null {
  const failing = states.flatMap(({ failure, ...state }) =>
    failure ? [{ ...state, ...failure, since: move(new Date(), offsetSeconds - failure.seconds) }] : [],
  );
  return failing.length === 0 ? null : failing.map(describe).join("; ");
}

/** The signers that any living worker finds failing, as text, each once; null where none fails. */
export async function describeFailingSigners({ db, clock }: Pick<Services, "db" | "clock">): Promise<string | null> {
  const [reports, offsetSeconds] = await Promise.all([
    listSignerReports(db, reportSecondsMax),
    clock.getOffsetSeconds(db),
  ]);
  const failing = new Map<string, FailingSigner>();
  for (const { fault, reason, failingSince, ...report } of reports) {
    if (fault === null || failingSince === null || failing.has(report.address)) continue;
    failing.set(report.address, { ...report, fault, reason: reason ?? "", since: move(failingSince, offsetSeconds) });
  }
  return failing.size === 0 ? null : [...failing.values()].map(describe).join("; ");
}

/** How many keys have signers that answer, as text. */
export async function countSigners({ db }: Pick<Services, "db">): Promise<string> {
  const addresses = new Set((await listSignerReports(db, reportSecondsMax)).map(({ address }) => address));
  return addresses.size === 0 ? "No worker reports a remote signer" : `${addresses.size} answer`;
}
