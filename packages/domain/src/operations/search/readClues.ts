/** What a text that an operator typed may stand for. Pure. */
import type { Clue } from "@cardkeep/db/searchRows";

const hashPattern = /^0x[0-9a-f]{64}$/;
/** An address, its first digits, or both ends of it as pages show it. Fewer digits than four are those of too many. */
const addressPattern = /^(0x[0-9a-f]{4,40})(?:(?:…|\.\.\.)([0-9a-f]{1,38}))?$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const deliveryPattern = /^msg_[0-9a-f]{32}$/;
/** As `requestIdOf` of the server accepts it. */
const requestPattern = /^[\w.-]{1,64}$/;
const referencePattern = /^[\w.:-]{1,128}$/;
const digitsPattern = /^\d{4,15}$/;
/** The beginning of an IBAN, or digits of its account with the letters of its bank before them. */
const ibanPattern = /^([A-Z]{2}\d{2}[A-Z0-9]{0,30}|[A-Z]{0,6}\d{4,30})$/;
/** Shorter texts of this form may be parts of a mail address as well. */
const ibanLengthMin = 15;
/** Indexes of parts know three characters and more. */
const searchablePattern = /[\p{L}\p{N}]{3}/u;
const wordsMax = 5;

const hasDigitsAlone = (text: string): boolean => /^[\d\s+()./-]+$/.test(text);

/** Every reading of a text without blanks around it. None: nothing can be found by it. */
export function readClues(text: string): Clue[] {
  const lower = text.toLowerCase();
  if (hashPattern.test(lower)) return [{ by: "hash", text: lower }];
  const [, prefix, suffix = ""] = addressPattern.exec(lower) ?? [];
  if (prefix !== undefined) return [{ by: "address", prefix, suffix }];
  if (uuidPattern.test(lower)) {
    return [
      { by: "id", text: lower },
      { by: "request", text },
      { by: "reference", text },
    ];
  }
  if (deliveryPattern.test(lower)) return [{ by: "delivery", text: lower }];
  return [...readReferences(text), ...readNumbers(text), ...readWords(text)];
}

const readReferences = (text: string): Clue[] => [
  ...(requestPattern.test(text) ? [{ by: "request", text } as const] : []),
  ...(referencePattern.test(text) ? [{ by: "reference", text } as const] : []),
];

/** Last four digits, a part of a phone number, a part of an IBAN. */
function readNumbers(text: string): Clue[] {
  const digits = text.replaceAll(/[\s()./-]/g, "").replace(/^(\+|00)/, "");
  const account = text.replaceAll(/\s/g, "").toUpperCase();
  return [
    ...(/^\d{4}$/.test(text) ? [{ by: "lastFour", text } as const] : []),
    ...(digitsPattern.test(digits) && hasDigitsAlone(text) ? [{ by: "phone", text: digits } as const] : []),
    ...(ibanPattern.test(account) ? [{ by: "iban", text: account } as const] : []),
  ];
}

function readWords(text: string): Clue[] {
  const account = text.replaceAll(/\s/g, "").toUpperCase();
  const isAccount = account.length >= ibanLengthMin && ibanPattern.test(account);
  if (isAccount || hasDigitsAlone(text) || !searchablePattern.test(text)) return [];
  return [{ by: "words", text, words: text.split(/\s+/).slice(0, wordsMax) }];
}
