/**
 * Signers outside of the worker, each in one address: which key, and where it is.
 *
 * - `web3signer+https://<address>@<host>[:<port>][/<path>]`, or `web3signer+http` beside the worker.
 * - `aws-kms://<address>@<region>/<key id, alias or ARN>[?endpoint=<url>]`.
 */
import { addressWith, type Address } from "@cardkeep/contract/core/primitives";
import { z } from "zod";
import { list, readBy } from "./types.ts";

export type SignerPlace =
  | { readonly kind: "web3signer"; readonly address: Address; readonly url: string }
  | {
      readonly kind: "aws-kms";
      readonly address: Address;
      readonly region: string;
      readonly keyId: string;
      /** Null for the region's own. */
      readonly endpoint: string | null;
    };

const keyAddress = addressWith("");
const regionPattern = /^[a-z]{2}(-[a-z]+)+-\d$/;

/** Where a key is; null for text of another form. */
export function parseSignerPlace(text: string): SignerPlace | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const parsed = keyAddress.safeParse(url.username);
  if (!parsed.success || url.password !== "" || url.hash !== "" || url.host === "") return null;
  return url.protocol === "aws-kms:" ? readKms(url, parsed.data) : readWeb3signer(url, parsed.data);
}

function readWeb3signer({ protocol, host, pathname, search }: URL, address: Address): SignerPlace | null {
  const scheme = /^web3signer\+(https?:)$/.exec(protocol)?.[1];
  if (scheme === undefined || search !== "") return null;
  return { kind: "web3signer", address, url: `${scheme}//${host}${pathname.replace(/\/+$/, "")}` };
}

function readKms({ host: region, pathname, searchParams }: URL, address: Address): SignerPlace | null {
  const keyId = decodeURIComponent(pathname.slice(1));
  const endpoint = searchParams.get("endpoint");
  const isKnown = [...searchParams.keys()].every((name) => name === "endpoint");
  const isEndpoint = endpoint === null || (URL.canParse(endpoint) && /^https?:/.test(endpoint));
  if (!regionPattern.test(region) || keyId === "" || !isKnown || !isEndpoint) return null;
  return { kind: "aws-kms", address, region, keyId, endpoint };
}

/** One signer. */
export const signer = readBy(
  parseSignerPlace,
  "must be web3signer+https://<address>@<host> or aws-kms://<address>@<region>/<key>",
);

/** A comma list of signers. */
export const signers = list.pipe(
  z
    .array(signer)
    .min(1)
    .refine((places) => new Set(places.map(({ address }) => address)).size === places.length, {
      error: "must not name an address twice",
    }),
);
