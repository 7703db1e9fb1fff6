/** Secrets that the service gives out and recognises again: of sessions, consents, links, tokens and partners. */
import { createHash, randomBytes } from "node:crypto";

const secretBytes = 32;

/** A new secret with 256 random bits, in the characters of a URL and of a PKCE verifier (RFC 7636). */
export const generateSecret = (): string => randomBytes(secretBytes).toString("base64url");

/** The stored form of a secret. A reader of the database cannot derive the secret from it. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");
