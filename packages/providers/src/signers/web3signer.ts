/**
 * Keys behind web3signer: files, Vault, AWS, Azure and others.
 *
 * Source: its OpenAPI document 1.2.0, `ETH1_SIGN` and `ETH1_LIST`. Older versions hash the digest again: `applyHash` is new
 * in 1.2.0. The caller's check finds such signatures wrong.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { z } from "zod";
import { callJson, callText, ProviderRefused } from "../http.ts";
import { createPatientCall, type KeyService, type SigningLimits } from "./port.ts";

/** 32 bytes of r, 32 of s, and v, which the caller does not need. */
const signature = z
  .string()
  .trim()
  .regex(/^0x[0-9a-fA-F]{130}$/)
  .transform((text) => ({ r: BigInt(text.slice(0, 66)), s: BigInt(`0x${text.slice(66, 130)}`) }));

/** 64 bytes, with or without the prefix of an uncompressed point. */
const publicKey = z
  .string()
  .regex(/^0x(04)?[0-9a-fA-F]{128}$/)
  .transform((text): Hex => `0x${text.slice(-128)}`);

/**
 * The key of an address at a web3signer. Its public key is looked up once by the address.
 * @param input.addressOf the address of a public key
 */
export function createWeb3signer(input: {
  url: string;
  address: Address;
  addressOf: (publicKey: Hex) => Address;
  limits: SigningLimits;
}): KeyService {
  const { address, addressOf, limits } = input;
  const call = createPatientCall("web3signer", limits);
  const base = `${input.url.replace(/\/+$/, "")}/api/v1/eth1`;
  const timeoutMs = limits.tryMs;
  let known: Hex | null = null;
  const findPublicKey = async (): Promise<Hex> => {
    const url = `${base}/publicKeys`;
    const keys = await callJson({ url, method: "GET", headers: {}, timeoutMs, answer: z.array(publicKey) });
    known = keys.find((key) => addressOf(key) === address) ?? null;
    if (known === null) throw new ProviderRefused(404, `web3signer has no key of ${address}`);
    return known;
  };
  return {
    isPaused: call.isOpen,
    getPublicKey: () => call(findPublicKey),
    signDigest: (digest) =>
      call(async () => {
        const key = known ?? (await findPublicKey());
        return callText({
          url: `${base}/sign/${key}`,
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ data: digest, applyHash: false }),
          timeoutMs,
          answer: signature,
        });
      }),
  };
}
