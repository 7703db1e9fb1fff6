/** Reads claims of an OpenID provider. */
import { findIllFormedText } from "@cardkeep/contract/core/text";
import { z } from "zod";
import { type Identity, SignInRejected } from "./port.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** More groups than a person is in are cut off, so that a row stays small. */
const groupsMax = 200;
const textMax = 200;

const text = z.string().trim().min(1).max(textMax);
const groupList = z.union([z.string().transform((one) => [one]), z.array(z.unknown())]);

const findText = (value: unknown): string | null => text.safeParse(value).data ?? null;

/** A claim by its name, or by a path with dots such as `realm_access.roles`. */
function findCapture(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split(".").reduce<unknown>((value, part) => {
    const parsed = z.record(z.string(), z.unknown()).safeParse(value);
    return parsed.success && Object.hasOwn(parsed.data, part) ? parsed.data[part] : undefined;
  }, claims);
}

/** Compared to the letter: a provider may have a group of its own with a blank more. */
const groupName = z.string().min(1).max(textMax);

/** The groups of a person; null where the claim is missing. Entries that are no text are left out. */
export function findGroups(claims: Claims, name: string): string[] | null {
  const parsed = groupList.safeParse(findCapture(claims, name));
  if (!parsed.success) return null;
  const groups = parsed.data.flatMap((group) => groupName.safeParse(group).data ?? []);
  return [...new Set(groups)].slice(0, groupsMax);
}

/**
 * The person that checked claims name. An unverified mail address is left out, because anybody can claim one.
 * @throws SignInRejected for a text that cannot be stored
 */
export function buildIdentity(issuer: string, claims: Claims & { readonly sub: string }, groups: string[]): Identity {
  const mail = claims["email_verified"] === true ? findText(claims["email"]) : null;
  const identity = {
    issuer,
    subject: claims.sub,
    name: findText(claims["name"]) ?? findText(claims["preferred_username"]) ?? mail ?? claims.sub,
    mail,
    groups,
    providerSession: findText(claims["sid"]),
  };
  const [illFormed] = findIllFormedText(identity) ?? [];
  if (illFormed === undefined) return identity;
  throw new SignInRejected("invalid", `The provider's ${illFormed} has a null character or an unpaired surrogate`);
}
