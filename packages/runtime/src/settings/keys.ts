/** The keys of the service: for tokens, deliveries, secrets and chain transactions. */
import { typedAddress } from "@cardkeep/contract/core/primitives";
import { z } from "zod";
import { secretsKeys } from "./secretsKeys.ts";
import { signer, signers } from "./signers.ts";
import { keySet, list, privateKey, privateKeys, publicKeySet, signingKeySet, type Values } from "./types.ts";

const addresses = list.pipe(z.array(typedAddress).min(1));

export const keyEnvironment = {
  ACCESS_TOKEN_KEYS: keySet
    .optional()
    .describe("JWKS of private P-256 keys; the first signs, all verify. The server alone needs them"),
  WEBHOOK_SIGNING_KEYS: signingKeySet
    .optional()
    .describe(
      "JWKS of private Ed25519 keys that sign deliveries; the worker alone needs them. " +
        "All are published; where only one signature is possible, the first signs",
    ),
  WEBHOOK_PUBLIC_KEYS: publicKeySet
    .optional()
    .describe("JWKS of the public halves of these keys, in the same order, for a server without WEBHOOK_SIGNING_KEYS"),
  SECRETS_KEYS: secretsKeys.describe(
    "Keys that seal partners' secrets and e-money tokens in the database: 32 bytes in base64 each, comma separated, " +
      "or a JWKS of oct keys. The first seals; all unseal",
  ),
  RELAYER_PRIVATE_KEYS: privateKeys
    .optional()
    .describe("Keys that pay for chain transactions, comma separated; the worker alone needs them, or RELAYER_SIGNERS"),
  RELAYER_SIGNERS: signers
    .optional()
    .describe(
      "Signers that hold such keys, comma separated: web3signer+https://<address>@<host> or " +
        "aws-kms://<address>@<region>/<key>. The worker uses them beside RELAYER_PRIVATE_KEYS",
    ),
  RELAYER_ADDRESSES: addresses
    .optional()
    .describe(
      "Addresses of these keys, comma separated, for processes without RELAYER_PRIVATE_KEYS and RELAYER_SIGNERS",
    ),
  OPERATOR_PRIVATE_KEY: privateKey
    .optional()
    .describe("Owner of a Safe during its set-up transaction; the worker alone needs it, or OPERATOR_SIGNER"),
  OPERATOR_SIGNER: signer.optional().describe("Signer that holds this key, instead of OPERATOR_PRIVATE_KEY"),
  OPERATOR_ADDRESS: typedAddress.optional().describe("Address of this key, for processes without key and signer"),
  SPENDER_PRIVATE_KEY: privateKey
    .optional()
    .describe("Member of the spending role; the worker alone needs it, or SPENDER_SIGNER"),
  SPENDER_SIGNER: signer.optional().describe("Signer that holds this key, instead of SPENDER_PRIVATE_KEY"),
  SPENDER_ADDRESS: typedAddress.optional().describe("Address of this key, for processes without key and signer"),
  FORMER_OPERATOR_PRIVATE_KEYS: privateKeys
    .optional()
    .describe("Keys before a rotation, comma separated; they set up the Safes that were opened before it"),
  FORMER_OPERATOR_SIGNERS: signers.optional().describe("Signers that hold such keys, comma separated"),
  FORMER_OPERATOR_ADDRESSES: addresses
    .optional()
    .describe(
      "Addresses of these keys, comma separated, also after the keys are gone: a reconciliation finds Safes by them",
    ),
  FORMER_SPENDER_PRIVATE_KEYS: privateKeys
    .optional()
    .describe("Keys before a rotation, comma separated; they move card money from the Safes that were set up for them"),
  FORMER_SPENDER_SIGNERS: signers.optional().describe("Signers that hold such keys, comma separated"),
  FORMER_SPENDER_ADDRESSES: addresses
    .optional()
    .describe("Addresses of these keys, comma separated, for processes without keys and signers"),
};

/** The settings of each key of the chain: itself, its signer, its address. */
export const keySettings = [
  ["RELAYER_PRIVATE_KEYS", "RELAYER_SIGNERS", "RELAYER_ADDRESSES"],
  ["OPERATOR_PRIVATE_KEY", "OPERATOR_SIGNER", "OPERATOR_ADDRESS"],
  ["SPENDER_PRIVATE_KEY", "SPENDER_SIGNER", "SPENDER_ADDRESS"],
] as const;

/** What a process without a role lacks: the addresses of the chain's keys and the public keys of deliveries, in some form. */
export const listMissingKeys = (e: Values<typeof keyEnvironment>): string[] => [
  ...(e.WEBHOOK_SIGNING_KEYS === undefined && e.WEBHOOK_PUBLIC_KEYS === undefined
    ? ["WEBHOOK_SIGNING_KEYS: is required by the worker; other processes may have WEBHOOK_PUBLIC_KEYS instead"]
    : []),
  ...keySettings
    .filter((names) => names.every((name) => e[name] === undefined))
    .map(
      ([key, held, address]) =>
        `${key}: is required by the worker, or ${held}; other processes may have ${address} instead`,
    ),
];

/** A key is in this process or at a signer. Several relayers may be mixed. */
export const listKeyFaults = (e: Values<typeof keyEnvironment>): string[] =>
  keySettings
    .filter(([key, held]) => key !== "RELAYER_PRIVATE_KEYS" && e[key] !== undefined && e[held] !== undefined)
    .map(([key, held]) => `${held}: must not be set beside ${key}`);

/** The keys as the parts take them. */
export const readKeys = (e: Values<typeof keyEnvironment>) => ({
  /** Empty in every process except the server. */
  accessTokenKeys: e.ACCESS_TOKEN_KEYS?.keys ?? [],
  /** Empty in every process except the worker, which may lack their public halves. */
  webhookSigningKeys: e.WEBHOOK_SIGNING_KEYS?.keys ?? [],
  webhookPublicKeys: e.WEBHOOK_PUBLIC_KEYS?.keys ?? [],
  secretsKeys: e.SECRETS_KEYS,
  /** Empty in a process without keys or signers; likewise null. */
  relayerPrivateKeys: e.RELAYER_PRIVATE_KEYS ?? [],
  operatorPrivateKey: e.OPERATOR_PRIVATE_KEY ?? null,
  spenderPrivateKey: e.SPENDER_PRIVATE_KEY ?? null,
  relayerSigners: e.RELAYER_SIGNERS ?? [],
  operatorSigner: e.OPERATOR_SIGNER ?? null,
  spenderSigner: e.SPENDER_SIGNER ?? null,
  /** The addresses of keys that this process may lack. */
  keyAddresses: { relayers: e.RELAYER_ADDRESSES ?? [], operator: e.OPERATOR_ADDRESS, spender: e.SPENDER_ADDRESS },
  formerOperators: {
    privateKeys: e.FORMER_OPERATOR_PRIVATE_KEYS ?? [],
    signers: e.FORMER_OPERATOR_SIGNERS ?? [],
    addresses: e.FORMER_OPERATOR_ADDRESSES ?? [],
  },
  formerSpenders: {
    privateKeys: e.FORMER_SPENDER_PRIVATE_KEYS ?? [],
    signers: e.FORMER_SPENDER_SIGNERS ?? [],
    addresses: e.FORMER_SPENDER_ADDRESSES ?? [],
  },
});
