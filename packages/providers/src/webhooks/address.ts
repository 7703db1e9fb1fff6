/**
 * The permitted targets of deliveries: public addresses only, under any name. Outside production also two places of this
 * machine.
 *
 * - inbox: the sandbox's own receiver. - local: a developer's receiver at `localhost`, under this name alone.
 */
import ipaddr from "ipaddr.js";

export interface WebhookPlaces {
  readonly isProduction: boolean;
  /** Origin of the sandbox; null without one. */
  readonly inboxOrigin: string | null;
  /** Ports of this program's own parts, which no receiver of this machine may have. */
  readonly ownPorts: readonly number[];
}

/** The assigned part of IPv6 for the public internet (IANA, IPv6 global unicast address space). */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an IP address belongs to the public internet. It must not belong to this machine, a private network, a link,
 * carrier-grade NAT, a multicast group or another reserved range (IANA special-purpose registries), in any IPv6
 * embedding.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // Unwraps ::ffff:0:0/96. Every other embedding of IPv4 is a reserved range and rejected as such.
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

/** A developer writes this name; every other spelling of this machine, its addresses included, is rejected. */
const localOrigin = /^https?:\/\/localhost(:\d+)?([/?#]|$)/i;

/** Whether an address is a developer's receiver on this machine; never in production. */
export const isLocal = (text: string, { isProduction, ownPorts }: WebhookPlaces): boolean =>
  !isProduction && localOrigin.test(text) && !ownPorts.includes(Number(new URL(text).port));

/** Names of this machine or a local network, for any resolver. */
const localName = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|home\.arpa|corp|private)$/;

/** A URL's host for the resolver: no brackets, no final dot, lower case. */
export const hostOf = ({ hostname }: URL): string =>
  hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();

/** Characters that the parser would remove silently: blanks, control characters, and invisible ones in a host. */
const removed = /[\s\p{Cc}\p{Cf}]/u;

const systemPortMax = 1_023;
/**
 * Ports from 1024 on of other protocols: those that browsers block (Fetch standard, "bad port"), databases, queues and
 * control ports.
 */
const foreignPorts: readonly number[] = [
  1433, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 3659, 4045, 4190, 5060,
  5061, 5432, 5433, 5672, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 8545, 8546, 9042,
  9092, 9200, 9300, 10080, 10250, 11211, 15672, 27017, 54329,
];

/** Whether a URL's port may be a web server's: 80, 443, or one above the system ports without a known service. */
function isWebPort({ port }: URL): boolean {
  const number = Number(port);
  return port === "" || number === 80 || number === 443 || (number > systemPortMax && !foreignPorts.includes(number));
}

/**
 * Parses the target of deliveries: https (http too outside production), no credentials, no port of another service, no
 * name or address of this machine (but see `isLocal`) or a local network, no blank or control character. Null for any other
 * text.
 * `resolveEndpoint` checks the addresses behind a name.
 */
export function parseWebhookUrl(text: string, places: WebhookPlaces): URL | null {
  if (removed.test(text) || !URL.canParse(text)) return null;
  // The parser reads every spelling of an IPv4 address: decimal, octal, hexadecimal, shortened.
  const url = new URL(text);
  const isSecure = url.protocol === "https:" || (url.protocol === "http:" && !places.isProduction);
  if (!isSecure || url.username !== "" || url.password !== "") return null;
  if (isInbox(url, places)) return url;
  if (!isWebPort(url)) return null;
  if (isLocal(text, places)) return url;
  const host = hostOf(url);
  if (ipaddr.isValid(host)) return isPublicAddress(host) ? url : null;
  return host.includes(".") && !localName.test(host) ? url : null;
}
