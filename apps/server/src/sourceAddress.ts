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
  let source = unwrapAddress(peer);
  for (const entry of (forwardedFor ?? "").split(",").toReversed()) {
    const address = entry.trim();
    if (!isTrustedProxy(source) || isIP(address) === 0) break;
    source = unwrapAddress(address);
  }
  return source;
}

/** An address in one spelling: IPv4 inside IPv6 (`::ffff:0:0/96`, RFC 4291) as IPv4, IPv6 as RFC 5952 has it, no zone. */
function unwrapAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const canonical = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const [, ...groups] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (groups.length === 0) return canonical;
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join(".");
}

/** Groups of an IPv6 address that name the network; the rest is its customer's to choose (RFC 6177). */
const networkGroups = 4;

/** Whose an address is: itself, or the /64 of an IPv6 one. */
export function networkOf(given: string): string {
  const address = unwrapAddress(given);
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const [before, after] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => "0");
  const groups = tail === undefined ? (before ?? []) : [...(before ?? []), ...zeros, ...(after ?? [])];
  return `${groups.slice(0, networkGroups).join(":")}::/64`;
}
