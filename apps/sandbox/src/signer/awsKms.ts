/**
 * The API of AWS KMS, as far as keys of the spec ECC_SECG_P256K1 need it: JSON 1.1, with bytes in base64.
 *
 * Source: docs.aws.amazon.com/kms/latest/APIReference, Sign and GetPublicKey. A key's id is `alias/<address>`.
 */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { SandboxRuntime } from "../core/openStore.ts";
import { type HeldKey, heldKeys, signDigest } from "./keys.ts";

/** The path of its endpoint. */
export const awsKmsPath = "/aws-kms";

const digestBytes = 32;
const target = z.object({ KeyId: z.string() });
const order = target.extend({
  Message: z.base64().transform((text) => Buffer.from(text, "base64")),
  MessageType: z.enum(["RAW", "DIGEST"]).default("RAW"),
  SigningAlgorithm: z.string(),
});

const algorithm = "ECDSA_SHA_256";
const region = "eu-central-1";
const arnOf = ({ address }: HeldKey): string => `arn:aws:kms:${region}:000000000000:key/${address}`;

/** An error in KMS's own form. */
const answerKmsError = (status: number, name: string, message: string): Response =>
  answerKms({ __type: name, message }, status);

const answerKms = (body: object, status = 200): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/x-amz-json-1.1", "x-amzn-RequestId": randomUUID() },
  });

/** Answers `Sign` and `GetPublicKey` for signed requests; a signature of a request is not verified. */
export async function answerAwsKms(runtime: SandboxRuntime, request: Request, body: string): Promise<Response> {
  if (!request.headers.get("authorization")?.startsWith("AWS4-HMAC-SHA256 Credential="))
    return answerKmsError(400, "MissingAuthenticationTokenException", "Missing Authentication Token");
  const operation = /^TrentService\.(\w+)$/.exec(request.headers.get("x-amz-target") ?? "")?.[1];
  const parsed = (operation === "Sign" ? order : target).safeParse(JSON.parse(body));
  if (!parsed.success) return answerKmsError(400, "ValidationException", "The request is invalid");
  const key = heldKeys.find((each) => parsed.data.KeyId === `alias/${each.address}`);
  if (!key) return answerKmsError(400, "NotFoundException", `Alias ${parsed.data.KeyId} is not found.`);
  const described = { KeyId: arnOf(key), KeySpec: "ECC_SECG_P256K1" };
  if (operation === "GetPublicKey") {
    const PublicKey = encodeSpki(key.publicKey).toString("base64");
    return answerKms({ ...described, PublicKey, KeyUsage: "SIGN_VERIFY", SigningAlgorithms: [algorithm] });
  }
  if (operation !== "Sign") return answerKmsError(400, "UnknownOperationException", "Unknown operation");
  const { Message, MessageType, SigningAlgorithm } = order.parse(JSON.parse(body));
  if (SigningAlgorithm !== algorithm || MessageType !== "DIGEST" || Message.length !== digestBytes)
    return answerKmsError(400, "ValidationException", "Digest is invalid length for algorithm ECDSA_SHA_256.");
  const { r, s } = await signDigest(runtime, key, `0x${Message.toString("hex")}`, `POST ${awsKmsPath}/Sign`);
  return answerKms({ KeyId: arnOf(key), Signature: encodeSignature(r, s).toString("base64"), SigningAlgorithm });
}

const integerTag = 0x02;
const sequenceTag = 0x30;

/** A positive DER integer: no leading zeros, and one where the highest bit is set. */
function encodeInteger(value: Hex): Buffer {
  const text = BigInt(value).toString(16);
  const bytes = Buffer.from(text.length % 2 === 0 ? text : `0${text}`, "hex");
  const body = (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return Buffer.concat([Buffer.from([integerTag, body.length]), body]);
}

/** An ECDSA signature in DER: RFC 3279, section 2.2.3. */
function encodeSignature(r: Hex, s: Hex): Buffer {
  const body = Buffer.concat([encodeInteger(r), encodeInteger(s)]);
  return Buffer.concat([Buffer.from([sequenceTag, body.length]), body]);
}

/** id-ecPublicKey on secp256k1, and the start of an uncompressed point: RFC 5480, section 2. */
const spkiStart = Buffer.from("MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE", "base64");

const encodeSpki = (publicKey: Hex): Buffer => Buffer.concat([spkiStart, Buffer.from(publicKey.slice(2), "hex")]);
