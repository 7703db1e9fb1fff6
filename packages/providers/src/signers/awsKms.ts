/**
 * Keys in AWS KMS, of the key spec ECC_SECG_P256K1, through its own package.
 *
 * Credentials, and a proxy if there is one, come from the places where every AWS program looks for them. Source:
 * docs.aws.amazon.com/kms/latest/APIReference, Sign and GetPublicKey.
 */
import type { KMSClient } from "@aws-sdk/client-kms";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { ProviderRefused, ProviderUnavailable } from "../http.ts";
import { parseDerSignature, parseSpki } from "./der.ts";
import { createPatientCall, type KeyService, type SigningLimits } from "./port.ts";

/** Errors that go away by themselves, besides those of the status 5xx. */
const temporary: readonly string[] = [
  "ThrottlingException",
  "LimitExceededException",
  "KeyUnavailableException",
  "DependencyTimeoutException",
  "RequestTimeoutException",
  // Of credentials that are being replaced.
  "ExpiredTokenException",
  "UnrecognizedClientException",
];

/** One key in KMS. @param input.endpoint another address than the region's own, such as that of a VPC endpoint */
export function createAwsKms(input: {
  region: string;
  keyId: string;
  endpoint: string | null;
  limits: SigningLimits;
}): KeyService {
  const { region, keyId: KeyId, endpoint, limits } = input;
  const call = createPatientCall("AWS KMS", limits);
  const withinMs = () => ({ abortSignal: AbortSignal.timeout(limits.tryMs) });
  let client: Promise<KMSClient> | null = null;
  // Processes without such a key do not load the package.
  const load = () => import("@aws-sdk/client-kms");
  const connect = () =>
    (client ??= load().then(
      ({ KMSClient }) => new KMSClient({ region, maxAttempts: 1, ...(endpoint !== null && { endpoint }) }),
    ));
  return {
    isPaused: call.isOpen,
    signDigest: (digest) =>
      call(async () => {
        const { SignCommand } = await load();
        const command = new SignCommand({
          KeyId,
          Message: Buffer.from(digest.slice(2), "hex"),
          MessageType: "DIGEST",
          SigningAlgorithm: "ECDSA_SHA_256",
        });
        const { Signature } = await classify("Sign", (await connect()).send(command, withinMs()));
        return read("Sign", Signature, parseDerSignature);
      }),
    getPublicKey: (): Promise<Hex> =>
      call(async () => {
        const { GetPublicKeyCommand } = await load();
        const command = new GetPublicKeyCommand({ KeyId });
        const { PublicKey } = await classify("GetPublicKey", (await connect()).send(command, withinMs()));
        return read("GetPublicKey", PublicKey, parseSpki);
      }),
  };
}

/** Names the error, and gives no cause: its text and fields may hold the account's number. */
async function classify<T>(operation: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const { KMSServiceException } = await import("@aws-sdk/client-kms");
    const name = error instanceof Error ? error.name : "Error";
    // The service that issues credentials may be away for a moment, as during a rotation or a start of the machine.
    if (name === "CredentialsProviderError") throw new ProviderUnavailable("AWS KMS: no credentials were found");
    const status = error instanceof KMSServiceException ? (error.$metadata.httpStatusCode ?? 500) : 500;
    if (status >= 500 || temporary.includes(name)) {
      throw new ProviderUnavailable(`AWS KMS answered ${operation} with ${name}`);
    }
    throw new ProviderRefused(status, `AWS KMS refused ${operation} with ${name}`);
  }
}

function read<T>(operation: string, bytes: Uint8Array | undefined, parse: (bytes: Uint8Array) => T | null): T {
  const parsed = bytes === undefined ? null : parse(bytes);
  if (parsed === null) throw new ProviderUnavailable(`AWS KMS answered ${operation} with invalid bytes`);
  return parsed;
}
