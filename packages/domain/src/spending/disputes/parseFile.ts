import { fileBytesMax } from "@cardkeep/contract/spending/disputeRoutes";
import { fail } from "@cardkeep/contract/core/errors";

/** The first bytes of each kind that the issuer takes, as hex. */
const kinds = [
  { mediaType: "application/pdf", magic: "255044462d" },
  { mediaType: "image/jpeg", magic: "ffd8ff" },
  { mediaType: "image/png", magic: "89504e470d0a1a0a" },
];

/** What a file in base64 is, by its content. @throws transactions.invalid_file */
export function parseFile(base64: string): { mediaType: string; size: number } {
  const bytes = Buffer.from(base64, "base64");
  // Node skips what is no base64; the length shows it.
  const isWhole = bytes.toString("base64").replace(/=+$/, "").length === base64.replace(/=+$/, "").length;
  const kind = kinds.find(({ magic }) => bytes.toString("hex", 0, magic.length / 2) === magic);
  if (!isWhole || !kind || bytes.byteLength > fileBytesMax) return fail("transactions.invalid_file");
  return { mediaType: kind.mediaType, size: bytes.byteLength };
}
