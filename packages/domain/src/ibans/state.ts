/** What guards a consent on its way through the browser. */
import { createHash, randomBytes } from "node:crypto";

/** What of a state is kept: whoever reads it cannot come back with the state itself. */
export const hashState = (state: string): string => createHash("sha256").update(state).digest("hex");

/** A text that nobody guesses, in the characters of a PKCE verifier (RFC 7636). */
export const generateSecret = (): string => randomBytes(32).toString("base64url");
