/** The person at the issuer, as our records name it. */
import { CardkeepError, fail } from "@cardkeep/contract/core/errors";
import { realEmail } from "@cardkeep/contract/users/placeholderEmail";
import type { User } from "@cardkeep/db/queries/users/users";
import { latinName } from "@cardkeep/providers/issuer/latinName";
import type { Cardholder } from "@cardkeep/providers/issuer/port";
import { createHash } from "node:crypto";
import { phoneAtIssuer } from "./contactWindow.ts";

/** A user with everything that the issuer requires, the name in Latin letters. */
export type CompleteUser = User & {
  firstName: string;
  lastName: string;
  phone: string;
  address1: string;
  city: string;
  postalCode: string;
  country: string;
};

/** @throws cards.phone_required, cards.name_missing, cards.name_invalid, cards.address_missing */
export function requireComplete(user: User): CompleteUser {
  const { phone, address1, city, postalCode, country } = user;
  if (!phone) fail("cards.phone_required");
  if (!user.firstName?.trim() || !user.lastName?.trim()) fail("cards.name_missing");
  const firstName = latinName(user.firstName, user.latinFirstName) ?? fail("cards.name_invalid");
  const lastName = latinName(user.lastName, user.latinLastName) ?? fail("cards.name_invalid");
  if (!address1 || !city || !postalCode || !country) fail("cards.address_missing");
  return { ...user, firstName, lastName, phone, address1, city, postalCode, country };
}

/** A postal address as the issuer takes it. */
export const addressOf = (
  from: Pick<User, "address1" | "address2" | "city" | "postalCode" | "state" | "country">,
): Cardholder["address"] => ({
  line1: from.address1 ?? "",
  line2: from.address2,
  city: from.city ?? "",
  postalCode: from.postalCode ?? "",
  state: from.state,
  country: (from.country ?? "").toUpperCase(),
});

/** What the issuer should know of a person at an instant. @throws what `requireComplete` throws */
export function buildDetails(user: User, now: Date): Cardholder {
  const { id: userId, firstName, lastName, email, phone, birthDate, ...person } = requireComplete(user);
  const counted = phoneAtIssuer({ ...person, phone }, now) ?? phone;
  return {
    userId,
    firstName,
    lastName,
    email: realEmail(email),
    phone: counted,
    birthDate,
    address: addressOf(person),
  };
}

/** The same; null where the records lack something, or were erased. What the issuer has then stays. */
export function findDetails(user: User | null, now: Date): Cardholder | null {
  if (user === null || user.erasedAt !== null) return null;
  try {
    return buildDetails(user, now);
  } catch (error) {
    if (error instanceof CardkeepError) return null;
    throw error;
  }
}

/** Names a person's details: the same text for the same details. */
export const digestDetails = (details: Cardholder): string =>
  createHash("sha256").update(JSON.stringify(details)).digest("hex");
