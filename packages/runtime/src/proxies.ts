/** The peers that are our own proxies, so that their forwarding headers are trusted. */
import { BlockList, isIP } from "node:net";

export type IsTrustedProxy = (address: string) => boolean;

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6");

/** A list of addresses and networks, `10.0.0.0/8, ::1`; null if an entry is invalid. */
export function parseProxies(text: string): IsTrustedProxy | null {
  const known = new BlockList();
  for (const entry of text.split(",").map((item) => item.trim())) {
    const [address = "", bits, ...rest] = entry.split("/");
    const width = isIP(address) === 4 ? 32 : 128;
    if (isIP(address) === 0 || rest.length > 0) return null;
    if (bits === undefined) known.addAddress(address, familyOf(address));
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= width) known.addSubnet(address, Number(bits), familyOf(address));
    else return null;
  }
  return (address) => isIP(address) !== 0 && known.check(address, familyOf(address));
}
