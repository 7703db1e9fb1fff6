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

/** What the parser would take out in silence: blanks, control characters, and invisible ones in a host. */
const removed = /[\s\p{Cc}\p{Cf}]/u;

const systemPortMax = 1_023;
/** Ports from 1024 on that speak other protocols: those which browsers block (Fetch standard, "bad port"), and databases, queues and control ports. */
const foreignPorts: readonly number[] = [
  1433, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 3659, 4045, 4190, 5060,
  5061, 5432, 5433, 5672, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 8545, 8546, 9042,
  9092, 9200, 9300, 10080, 10250, 11211, 15672, 27017, 54329,
];

/** Whether a URL's port may be a web server's: 80, 443, or one above the system ports that no known service has. */
function isWebPort({ port }: URL): boolean {
  const number = Number(port);
  return port === "" || number === 80 || number === 443 || (number > systemPortMax && !foreignPorts.includes(number));
}

/**
 * Parses where deliveries are to go: https (http too outside production), no credentials, no port of another service, no
 * name or address of this machine or a local network, no blank or control character. Null for any other text. What a name
 * resolves to is for `resolveEndpoint`.
 */
export function parseWebhookUrl(text: string, places: WebhookPlaces): URL | null {
  if (removed.test(text) || !URL.canParse(text)) return null;
  // The parser reads an IPv4 address in every spelling there is: decimal, octal, hexadecimal, shortened.
  const url = new URL(text);
  const isSecure = url.protocol === "https:" || (url.protocol === "http:" && !places.isProduction);
  if (!isSecure || url.username !== "" || url.password !== "") return null;
  if (isInbox(url, places)) return url;
  if (!isWebPort(url)) return null;
  const host = hostOf(url);
  if (ipaddr.isValid(host)) return isPublicAddress(host) ? url : null;
  return host.includes(".") && !localName.test(host) ? url : null;
}
