/**
 * Where deliveries may go: public addresses only, whatever they are called.
 *
 * - inbox: the sandbox's own receiver, the one place on this machine that is let through; null in production.
 */
import ipaddr from "ipaddr.js";

export interface WebhookPlaces {
  readonly isProduction: boolean;
  /** Origin of the sandbox; null where there is none. */
  readonly inboxOrigin: string | null;
}

/** All of IPv6 that was ever assigned to the public internet (IANA, IPv6 global unicast address space). */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an IP address is one of the public internet: not of this machine, a private network, a link, carrier-grade NAT,
 * a multicast group or any other reserved range (IANA special-purpose registries), however it is wrapped in IPv6.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // Unwraps ::ffff:0:0/96; every other embedding of IPv4 is a range of its own and refused with it.
  const address = ipaddr.process(text);
  return address.range() === "unicast" && (!(address instanceof ipaddr.IPv6) || address.match(globalUnicast));
}

/** Whether an address is a receiver of the sandbox. */
export function isInbox({ protocol, hostname, port, pathname }: URL, { inboxOrigin }: WebhookPlaces): boolean {
  if (inboxOrigin === null) return false;
  const inbox = new URL(inboxOrigin);
  const isThisMachine = hostname === "localhost" || hostname === inbox.hostname;
  return protocol === inbox.protocol && isThisMachine && port === inbox.port && pathname.startsWith("/inbox/");
}

/** Names that stand for this machine or a local network, whatever a resolver makes of them. */
const localName = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|home\.arpa|corp|private)$/;

/** Host of a URL as it is looked up: no brackets, no final dot, lower case. */
export const hostOf = ({ hostname }: URL): string =>
  hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();

/**
 * Parses where deliveries are to go: https (http too outside production), no credentials, no name or address of this
 * machine or a local network. Null for any other text. What a name resolves to is for `resolveEndpoint`.
 */
export function parseWebhookUrl(text: string, places: WebhookPlaces): URL | null {
  if (!URL.canParse(text)) return null;
  // The parser reads an IPv4 address in every spelling there is: decimal, octal, hexadecimal, shortened.
  const url = new URL(text);
  const isSecure = url.protocol === "https:" || (url.protocol === "http:" && !places.isProduction);
  if (!isSecure || url.username !== "" || url.password !== "") return null;
  if (isInbox(url, places)) return url;
  const host = hostOf(url);
  if (ipaddr.isValid(host)) return isPublicAddress(host) ? url : null;
  return host.includes(".") && !localName.test(host) ? url : null;
}
