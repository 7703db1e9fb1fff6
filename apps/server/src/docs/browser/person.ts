/** Who runs a route from a page: a person that the sandbox made, or the holder of a pasted token. It holds until the tab closes. */
import type { Call } from "../samples/call.ts";

type TokenName = NonNullable<Call["tokenName"]>;

export interface Caller {
  readonly token: string;
  /** How the page names them. */
  readonly name: string;
}

const keyOf = (tokenName: TokenName): string => `cardkeep.docs.${tokenName}`;

export function readCaller(tokenName: TokenName): Caller | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(tokenName)) ?? "null");
    const { token, name } = Object(stored) as Partial<Record<"token" | "name", unknown>>;
    return typeof token === "string" && typeof name === "string" ? { token, name } : null;
  } catch {
    // Browsers may refuse storage; then each page asks again.
    return null;
  }
}

/** Remembers the caller, or forgets them with null. An event makes every open form show it. */
export function writeCaller(tokenName: TokenName, caller: Caller | null): void {
  try {
    if (caller === null) sessionStorage.removeItem(keyOf(tokenName));
    else sessionStorage.setItem(keyOf(tokenName), JSON.stringify(caller));
  } catch {
    // As in readCaller.
  }
  document.dispatchEvent(new Event("cardkeep:caller"));
}

/** A person with a verified identity, money and a card. @throws Error where the sandbox does not answer or refuses */
export async function makePerson(sandboxUrl: string): Promise<Caller> {
  const response = await fetch(`${sandboxUrl}/people`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ kyc: "approved", balance: "500", card: "virtual" }),
  });
  const made = Object(await response.json()) as { token?: unknown; address?: unknown; error?: unknown };
  if (typeof made.token !== "string" || typeof made.address !== "string")
    throw new Error(typeof made.error === "string" ? made.error : "The sandbox made no person");
  return { token: made.token, name: `${made.address.slice(0, 6)}…${made.address.slice(-4)}` };
}
