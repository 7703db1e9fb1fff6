/** The people whose keys this browser keeps. */
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { generatePerson } from "../../../profiles/generatePerson.ts";

/** A person as the browser's storage holds it. */
export interface KeptPerson {
  readonly privateKey: `0x${string}`;
  readonly address: string;
  readonly name: string;
  /** The newest access token; null before the first sign-in. */
  readonly token: string | null;
}

const storageKey = "cardkeep.people";

/** Everybody whose key is kept, in the order of their arrival. */
export function listKept(): readonly KeptPerson[] {
  const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
  return Array.isArray(stored) ? stored : [];
}

const write = (people: readonly KeptPerson[]): void => localStorage.setItem(storageKey, JSON.stringify(people));

/** The person of one of these addresses, in any letter case. */
export const findKept = (addresses: readonly string[]): KeptPerson | null => {
  const wanted = addresses.map((address) => address.toLowerCase());
  return listKept().find(({ address }) => wanted.includes(address.toLowerCase())) ?? null;
};

/** Keeps a key: a new one, or that of a person from elsewhere. @throws Error for a text that is no private key */
export function keepPerson(given?: string): KeptPerson {
  const privateKey = given === undefined ? generatePrivateKey() : readPrivateKey(given);
  const { address } = privateKeyToAccount(privateKey);
  const known = findKept([address]);
  if (known !== null) return known;
  const { firstName, lastName } = generatePerson(address);
  const person = { privateKey, address, name: `${firstName} ${lastName}`, token: null };
  write([...listKept(), person]);
  return person;
}

function readPrivateKey(text: string): `0x${string}` {
  const digits = text.trim().replace(/^0x/, "");
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw new Error("A private key is 0x and 64 hexadecimal digits");
  return `0x${digits}`;
}

/** Keeps the newest access token of a person. */
export const keepToken = (address: string, token: string): void =>
  write(listKept().map((person) => (person.address === address ? { ...person, token } : person)));

/** Forgets a person's key. It cannot be restored. */
export const forgetPerson = (address: string): void => write(listKept().filter((person) => person.address !== address));

/** The wallet of a person, which signs. */
export const openWallet = ({ privateKey }: KeptPerson): PrivateKeyAccount => privateKeyToAccount(privateKey);

/** The claims of a token that the page reads. */
interface Claims {
  readonly endsAt: Date;
  readonly hasSignedUp: boolean;
}

/** What a token says of itself; null for no token, and for one that has ended. */
export function readToken(token: string | null): Claims | null {
  const payload = token?.split(".")[1];
  if (payload === undefined) return null;
  const { exp, userId } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) as {
    exp: number;
    userId?: string;
  };
  const endsAt = new Date(exp * 1000);
  return endsAt > new Date() ? { endsAt, hasSignedUp: userId !== undefined } : null;
}
