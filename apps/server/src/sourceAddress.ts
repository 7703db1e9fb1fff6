/** Finds the source address of a request. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { all } from "proxy-addr";

/**
 * The source address of a request: the peer, or the client of our own proxies.
 *
 * Clients can write anything into `X-Forwarded-For`. So the header is read from its end, up to the first address that
 * is not one of our proxies.
 */
export function findSourceAddress(
  peer: string,
  forwardedFor: string | null,
  isTrustedProxy: (address: string) => boolean,
): string {
  // The two fields of a request that the library reads.
  const request: IncomingMessage = Object.assign(Object.create(null), {
    headers: forwardedFor === null ? {} : { "x-forwarded-for": forwardedFor },
    socket: { remoteAddress: peer },
  });
  const addresses = all(request, isTrustedProxy);
  return addresses.findLast((address) => isIP(address) !== 0) ?? peer;
}

/** Groups of an IPv6 address that name the network; the customer chooses the rest (RFC 6177). */
const networkGroups = 4;

/**
 * The network that owns an address: an IPv4 address itself, in any spelling, or the /64 of an IPv6 one.
 *
 * IPv4 clients of an IPv6-only edge come as `64:ff9b::a.b.c.d`. Source: RFC 4291, 2.5.5; RFC 6052, 2.1.
 */
export function networkOf(given: string): string {
  if (isIP(given) === 0) return given;
  const address = ipaddr.process(given.replace(/%.*$/, ""));
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  if (address.range() === "rfc6052") return new ipaddr.IPv4(address.toByteArray().slice(-4)).toString();
  const groups = address.parts.slice(0, networkGroups).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}
