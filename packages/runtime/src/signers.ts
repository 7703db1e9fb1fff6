/** Signers by their places: the adapter of each service, verified, measured and watched. */
import { SignedWrongly, SignerFailed } from "@cardkeep/chain/errors";
import { addressOfPublicKey, createRemoteSigner, type Signer } from "@cardkeep/chain/signer";
import { formatCause } from "@cardkeep/domain/operations/health/finding";
import type { SignerWatch } from "@cardkeep/domain/core/ports";
import { createAwsKms } from "@cardkeep/providers/signers/awsKms";
import type { KeyService } from "@cardkeep/providers/signers/port";
import { createWeb3signer } from "@cardkeep/providers/signers/web3signer";
import type { Metrics } from "./metrics.ts";
import type { SignerPlace } from "./settings/signers.ts";

/** The job that needs a signature is repeated after 3 s. */
const limits = { totalMs: 5_000, tryMs: 2_000 } as const;
/** A signer that answered within this time is not asked for its public key. */
const restMs = 60_000;

interface Failure {
  readonly fault: "unavailable" | "wrong";
  readonly reason: string;
  readonly sinceMs: number;
  /** Whether a signature failed, and not the look at its public key. */
  readonly isOfSignature: boolean;
}

/** The signer of a key that is elsewhere, with what its answers show. It makes no request before it is used. */
export function createSigner(
  place: SignerPlace,
  report: Metrics["reportSigner"],
): { signer: Signer; watch: SignerWatch } {
  const { kind, address } = place;
  const service = createService(place);
  const remote = createRemoteSigner(address, service);
  let failure: Failure | null = null;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  const noteAnswer = (isOfSignature: boolean): void => {
    answeredAtMs = performance.now();
    // Its public key does not show how it signs.
    if (isOfSignature || failure?.fault !== "wrong" || !failure.isOfSignature) failure = null;
  };
  const noteFailure = (error: unknown, isOfSignature: boolean): void => {
    const isWrong = error instanceof SignedWrongly;
    const fault = isWrong ? "wrong" : "unavailable";
    const reason = isWrong ? error.message : formatCause(error);
    const sinceMs = failure?.fault === fault ? failure.sinceMs : performance.now();
    failure = { fault, reason, sinceMs, isOfSignature };
  };
  const watched = async <T>(isOfSignature: boolean, ask: () => Promise<T>): Promise<T> => {
    try {
      const answer = await ask();
      noteAnswer(isOfSignature);
      return answer;
    } catch (error) {
      noteFailure(error, isOfSignature);
      throw error;
    }
  };
  const signer: Signer = {
    ...remote,
    signDigest: async (digest) => {
      const startedAt = performance.now();
      const record = (outcome: Parameters<Metrics["reportSigner"]>[0]["outcome"]) =>
        report({ signer: kind, address, outcome, seconds: (performance.now() - startedAt) / 1000 });
      try {
        const signature = await watched(true, () => remote.signDigest(digest));
        record("answered");
        return signature;
      } catch (error) {
        record(error instanceof SignedWrongly ? "wrong" : "failed");
        throw error;
      }
    },
    check: () => watched(false, remote.check),
  };
  const watch: SignerWatch = {
    check: async () => {
      if (failure === null && performance.now() - answeredAtMs < restMs) return;
      try {
        await signer.check();
      } catch (error) {
        if (!(error instanceof SignerFailed)) throw error;
      }
    },
    read: () => {
      const state = { address, kind, isPaused: service.isPaused() };
      if (failure === null) return { ...state, failure };
      const { fault, reason, sinceMs } = failure;
      return { ...state, failure: { fault, reason, seconds: (performance.now() - sinceMs) / 1000 } };
    },
  };
  return { signer, watch };
}

const createService = (place: SignerPlace): KeyService =>
  place.kind === "aws-kms"
    ? createAwsKms({ ...place, limits })
    : createWeb3signer({ ...place, addressOf: addressOfPublicKey, limits });
