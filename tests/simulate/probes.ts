/**
 * Probes of planted faults: each does as the program does, and notes where its fault would act otherwise. The clean run of a seed has them
 * all, and sends no message for them, so that its digest stays. A fault that no message reaches is not played with the seed.
 */
import { type Edit, ownFaults } from "./ownFaults.ts";
import { mutants } from "../mutants/mutants.ts";

declare global {
  /** Of a clean run: a planted fault would have acted otherwise now. */
  var noteFault: ((breaks: string) => void) | undefined;
}

/** In the text of a probe: what notes its fault. */
const note = "NOTE";

/** What stands in the place of the text that the fault replaces, by what it breaks. */
const inPlace: Readonly<Record<string, string>> = {
  "a job that the queue did not take is lost": `if (counts === undefined || counts.added >= counts.given) return;
    NOTE;`,
  "a transfer that two jobs have is signed twice": `if (!(await lockPlannedTransfer(work.tx, transfer))) {
      NOTE;
      return;
    }`,
  "a mined transaction is settled by each job that sees it": `if (!(await lockOpenRelayTransaction(work.tx, transaction.id))) {
      NOTE;
      return;
    }`,
  "a decline that opens a thread fails the job of its report": `if (!payment) {
      NOTE;`,
  "a refusal ends a spend that another job signed": `if (await lockPlannedTransfer(work.tx, transfer)) await write(work);
      else NOTE;`,
  "held money does not count to the limit": `(held > 0n && accrueAllowance(allowance, timestamp) >= amount &&
    accrueAllowance(allowance, timestamp) - held < amount && NOTE, accrueAllowance(allowance, timestamp) - held)`,
  "one loss is recorded twice": `if (!(await lockOpenRelayTransaction(work.tx, id))) {
      NOTE;
      return false;
    }`,
  "two jobs sign the same execution": `if (await hasOpenRelayTransaction(work.tx, item.id, dispatchPurposes)) {
      NOTE;
      return;
    }`,
  "a reserved nonce is signed twice": `if ((await listRelayAttempts(tx, id)).length > 0) NOTE;
    else await insert`,
  "an approval the issuer has not recorded holds nothing": `(unrecordedCents > 0n && NOTE, recordedCents + unrecordedCents);`,
  "a queued entry does not pause": `if (queueNonce > txNonce) {
    if (queueNonce <= checkedEntries) NOTE;
    return paused;
  }`,
  "a lost transaction that was mined settles its subject": `(transaction.lostAt !== null && NOTE, transaction.lostAt === null) ?`,
};

/** Those of faults that take out what answers nothing: where it did something is known one line on, or in what it calls. */
const beside: Readonly<Record<string, Edit>> = {
  "a queue whose job ran twice stands still": {
    file: "packages/domain/src/operations/housekeeping/recoverJobs.ts",
    from: "if (queues > 0)",
    to: "if (queues > 0) NOTE;\n  if (queues > 0)",
  },
  "nothing is planned after a reorganisation": {
    file: "packages/domain/src/spending/payments/endTransfer.ts",
    from: "if (safe && hasCurrency(safe)) await planTransfer(ctx, work, safe, seen);",
    to: "if (safe && hasCurrency(safe)) NOTE;\n  if (safe && hasCurrency(safe)) await planTransfer(ctx, work, safe, seen);",
  },
  "what a reorganisation made wrong is written": {
    file: "packages/domain/src/chain/guards/reorgGuard.ts",
    from: `throw new ChainReorganised("The chain reorganised");`,
    to: `{
        NOTE;
        throw new ChainReorganised("The chain reorganised");
      }`,
  },
};

export interface Probe extends Edit {
  readonly breaks: string;
}

const write = (breaks: string, { file, from, to }: Edit): Probe => ({
  breaks,
  file,
  from,
  to: to.replace(note, () => `globalThis.noteFault?.(${JSON.stringify(breaks)})`),
});

const findFault = (breaks: string): Edit => {
  const fault = [...ownFaults, ...mutants].find((each) => each.breaks === breaks);
  if (!fault) throw new Error(`No fault breaks "${breaks}"`);
  return fault;
};

export const probes: readonly Probe[] = [
  ...Object.entries(inPlace).map(([breaks, to]) => write(breaks, { ...findFault(breaks), to })),
  ...Object.entries(beside).map(([breaks, edit]) => write(breaks, edit)),
];

/** Whether a fault has a probe, so that a clean run says where it would have acted otherwise. */
export const hasProbe = (breaks: string): boolean => probes.some((probe) => probe.breaks === breaks);
