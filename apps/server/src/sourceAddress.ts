/** Finds the source address of a request. */
import { isIP } from "node:net";

/**
 * The source address of a request: the peer's, or the address that our own proxies report.
 *
 * Clients can write anything into `X-Forwarded-For`. So the header is read from its end, and reading stops at the
 * first address that is not one of our proxies.
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

/**
 * An address in one spelling: IPv4 inside IPv6 (`::ffff:0:0/96`, RFC 4291) as IPv4, IPv6 by RFC 5952, without a zone.
 */
function unwrapAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const canonical = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const [, ...groups] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (groups.length === 0) return canonical;
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join(".");
}

/** The groups of an IPv6 address that name the network. The customer chooses the rest (RFC 6177). */
const networkGroups = 4;

/** The network of an address: the address itself, or the /64 of an IPv6 one. */
export function networkOf(given: string): string {
  const address = unwrapAddress(given);
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const [before, after] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => "0");
  const groups = tail === undefined ? (before ?? []) : [...(before ?? []), ...zeros, ...(after ?? [])];
  return `${groups.slice(0, networkGroups).join(":")}::/64`;
}
