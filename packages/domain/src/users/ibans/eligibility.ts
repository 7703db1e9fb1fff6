/** Who may have an IBAN: the preconditions of the institution, and ours. */
import { type Iban, isUnderWay } from "@cardkeep/db/queries/users/ibans";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import type { User } from "@cardkeep/db/queries/users/users";
import { canHaveIban } from "./watchIban.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Where people may live: the countries of SEPA, in which EUR accounts are reached. Source: European Payments Council. */
const countries = words(`
AD AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MT NL NO PL PT RO SE SI SK SM VA`);

/** Nationalities that e-money institutions of the EEA do not take on. Source: FATF black list, and EU and UN sanctions. */
const excludedNationalities = words("AF BY CF CU IR KP LY MM RU SD SO SS SY YE");

const isGiven = (text: string | null): boolean => text !== null && text.trim() !== "";

/** Whether a user may ask for an IBAN now: eligible, and without one that is there or on its way to this Safe. */
export const isAvailable = (user: User, safe: Safe | null, iban: Iban | null): boolean =>
  isEligible(user, safe) && !(iban !== null && isUnderWay(iban) && iban.address === safe?.address);

/** Whether a user may ask for an IBAN: approved, not blocked, complete, of a supported country and nationality, with a Safe in EURe. */
export const isEligible = (user: User, safe: Safe | null): boolean =>
  canHaveIban(user) &&
  [user.birthDate, user.firstName, user.lastName, user.address1, user.postalCode, user.city].every(isGiven) &&
  countries.has(user.country ?? "") &&
  isGiven(user.nationalityCountry) &&
  !excludedNationalities.has(user.nationalityCountry ?? "") &&
  safe?.status === "ok" &&
  safe.tokenSymbol === "EURe";
