/** Where a request comes from, as far as it can be known. */
import { isIP } from "node:net";

/**
 * The address that a request came from: the peer's, or the one that proxies of our own say they speak for.
 *
 * What anybody else writes into `X-Forwarded-For` is nobody's word but theirs, so the header is read from its end and no
 * further than the first address that is not such a proxy's.
 */
export function findSourceAddress(
  peer: string,
  forwardedFor: string | null,
  isTrustedProxy: (address: string) => boolean,
): string {
  let source = peer;
  for (const entry of (forwardedFor ?? "").split(",").toReversed()) {
    const address = entry.trim();
    if (!isTrustedProxy(source) || isIP(address) === 0) break;
    source = address;
  }
  return source;
}

/** Groups of an IPv6 address that name the network; the rest is its customer's to choose (RFC 6177). */
const networkGroups = 4;

/** Whose an address is: itself, or the /64 of an IPv6 one. */
export function networkOf(address: string): string {
  const [, v4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (v4 !== undefined) return v4;
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const [before, after] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => "0");
  const groups = tail === undefined ? (before ?? []) : [...(before ?? []), ...zeros, ...(after ?? [])];
  return `${groups.slice(0, networkGroups).join(":")}::/64`;
}
