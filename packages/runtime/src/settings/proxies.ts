import { isIP } from "node:net";
import { compile } from "proxy-addr";

/** Whether an address is one of our own proxies, whose `X-Forwarded-For` is trusted. */
export type IsTrustedProxy = (address: string) => boolean;

/** Parses a list of addresses and networks, `10.0.0.0/8, ::1`; null for an entry that is neither. */
export function parseProxies(text: string): IsTrustedProxy | null {
  const entries = text.split(",").map((entry) => entry.trim());
  // The library also accepts short forms such as `10.1`, which are usually typing errors.
  if (!entries.every((entry) => isIP(entry.replace(/\/.*$/, "")) !== 0)) return null;
  try {
    const isTrusted = compile(entries);
    return (address) => isTrusted(address, 0);
  } catch {
    return null;
  }
}
