/** The address in an applicant's record at Sumsub. Some of its documents have house and flat in fields of their own. */
import { z } from "zod";

const text = z.string().nullish();
const recordAddress = z.object({
  street: text,
  buildingNumber: text,
  subStreet: text,
  buildingName: text,
  flatNumber: text,
  town: text,
  state: text,
  postCode: text,
  country: text,
});
export const addressesOfRecord = z.array(recordAddress).nullish();

const spell = (part: string): string =>
  ` ${part
    .toLowerCase()
    .replaceAll(/[\s,]+/g, " ")
    .trim()} `;

/** Whether a street, or a part of it between commas, begins or ends with its house number. Streets are named after dates. */
function hasNumber(street: string, number: string): boolean {
  const word = spell(number);
  const parts = [street, ...street.split(",")].map(spell);
  return parts.some((part) => part.startsWith(word) || part.endsWith(word));
}

/** The two lines of an address. The house number follows a street that does not name it. */
export function linesOf({
  street,
  buildingNumber,
  subStreet,
  buildingName,
  flatNumber,
}: z.output<typeof recordAddress>): { address1: string | null; address2: string | null } {
  const isNamed = !street || !buildingNumber || hasNumber(street, buildingNumber);
  const second = [subStreet, buildingName, flatNumber].filter(Boolean).join(", ");
  return { address1: isNamed ? (street ?? null) : `${street} ${buildingNumber}`, address2: second || null };
}
