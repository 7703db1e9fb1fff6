/** The secrets that guard a consent on its way through the browser. */
import { createHash, randomBytes } from "node:crypto";

/** The stored form of a state. A reader of the database cannot derive the state from it. */
export const hashState = (state: string): string => createHash("sha256").update(state).digest("hex");

/** 32 random bytes in the characters of a PKCE verifier (RFC 7636). */
export const generateSecret = (): string => randomBytes(32).toString("base64url");
