/** A person with a wallet who uses only published interfaces: REST, the typed client, the sandbox's pages. */
import { type CardkeepClient, createCardkeepClient } from "@cardkeep/client/client";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { Addresses } from "./addresses.ts";

export interface Person {
  readonly account: PrivateKeyAccount;
  readonly cardkeep: CardkeepClient;
  /** The access token from sign-in on. */
  token: string | null;
  email: string;
  /** From the sign-up on. */
  userId: string;
  /** As in the documents, once they are verified. */
  name: string;
  /** What the journey made, in order; `path` is its page below `/operator`. */
  readonly made: { name: string; path: string }[];
  /** One REST call below `/api/v1`; throws with the answer if it is an error. */
  rest(method: string, path: string, body?: unknown): Promise<unknown>;
  /** One call to the sandbox. */
  sandbox(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** A rejected call; in the demo it is always a fault of the service. */
export class Refused extends Error {
  constructor(
    what: string,
    readonly status: number,
    said: string,
  ) {
    super(`${what} answered ${status}: ${said}`);
  }
}

/** A new person with a fresh key. */
export function createPerson({ service, sandbox }: Pick<Addresses, "service" | "sandbox">): Person {
  const account = privateKeyToAccount(generatePrivateKey());
  const person: Person = {
    account,
    email: `${account.address.slice(2, 12).toLowerCase()}@example.org`,
    userId: "",
    name: "",
    made: [],
    cardkeep: createCardkeepClient({ url: service, token: () => person.token }),
    token: null,
    rest: (method, path, body) =>
      call(
        method,
        `${service}/api/v1${path}`,
        body,
        person.token === null ? {} : { Authorization: `Bearer ${person.token}` },
      ),
    sandbox: (method, path, body) => call(method, `${sandbox}${path}`, body, {}),
  };
  return person;
}

async function call(method: string, url: string, body: unknown, headers: Record<string, string>): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Refused(`${method} ${new URL(url).pathname}`, response.status, text);
  return response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text;
}
