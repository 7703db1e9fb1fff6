import { isValidIBAN } from "ibantools";

/** An IBAN without blanks, in capital letters; null where its check digits or its length are wrong. */
export function parseIban(text: string): string | null {
  const iban = text.replaceAll(/\s/g, "").toUpperCase();
  return isValidIBAN(iban) ? iban : null;
}
