/** Signers by their places: the adapter of each service, verified and measured. */
import { SignedWrongly, SignerFailed } from "@cardkeep/chain/errors";
import { addressOfPublicKey, createRemoteSigner, type Signer, type SigningService } from "@cardkeep/chain/signer";
import type { WorkerKeys } from "@cardkeep/domain/services";
import { createAwsKms } from "@cardkeep/providers/signers/awsKms";
import { createWeb3signer } from "@cardkeep/providers/signers/web3signer";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { SignerPlace } from "./settings/signers.ts";

/** The job that needs a signature is repeated after 3 s. */
const limits = { totalMs: 5_000, tryMs: 2_000 } as const;

/** The signer of a key that is elsewhere. It makes no request before the first signature. */
export function createSigner(place: SignerPlace, report: Metrics["reportSigner"]): Signer {
  const { kind, address } = place;
  const signer = createRemoteSigner(address, createService(place));
  return {
    ...signer,
    signDigest: async (digest) => {
      const startedAt = performance.now();
      const record = (outcome: Parameters<Metrics["reportSigner"]>[0]["outcome"]) =>
        report({ signer: kind, address, outcome, seconds: (performance.now() - startedAt) / 1000 });
      try {
        const signature = await signer.signDigest(digest);
        record("answered");
        return signature;
      } catch (error) {
        record(error instanceof SignedWrongly ? "wrong" : "failed");
        throw error;
      }
    },
  };
}

const createService = (place: SignerPlace): SigningService =>
  place.kind === "aws-kms"
    ? createAwsKms({ ...place, limits })
    : createWeb3signer({ ...place, addressOf: addressOfPublicKey, limits });

/** Logs every signer that does not hold its key. Work that needs it is repeated until it does. */
export async function checkSigners(log: Log, { relayers, operator, spender }: WorkerKeys): Promise<void> {
  await Promise.all(
    [...relayers, operator, spender].map(async ({ address, check }) => {
      try {
        await check();
      } catch (error) {
        if (!(error instanceof SignerFailed)) throw error;
        log.error({ err: error, address }, "A signer cannot be used. Check the settings of this address.");
      }
    }),
  );
}
