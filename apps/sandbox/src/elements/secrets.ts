/**
 * Answers the requests of the secure card elements' own page.
 *
 * - ephemeral token: opens one element, once, within a minute. In production a partner's own server requests it.
 */
import { type Card, listCards } from "@cardkeep/db/queries/cards/cards";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { requireSettledContact } from "@cardkeep/domain/core/cardholders/contactWindow";
import { createContext } from "@cardkeep/domain/core/context";
import { generateId } from "@cardkeep/domain/core/generateId";
import { publish } from "@cardkeep/domain/core/publish";
import { findIssuerObject, updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { cardObject } from "../issuer/cards.ts";
import { defineSandboxRoute, SandboxError } from "../core/route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const tokenMs = 60_000;
const pinMs = 10 * tokenMs;

const elementNames = ["cardData", "cardPin", "setCardPin"] as const;

interface Grant {
  readonly untilMs: number;
  /** The card of a grant to set a PIN; null for an ephemeral token. */
  readonly card: Pick<Card, "cardToken" | "userId" | "virtual"> | null;
}

/** Kept in memory: a restart drops them. */
const grants = new Map<string, Grant>();

function addGrant(grant: Grant): string {
  for (const [id, { untilMs }] of grants) if (untilMs < Date.now()) grants.delete(id);
  const id = randomBytes(24).toString("base64url");
  grants.set(id, grant);
  return id;
}

/**
 * Consumes a grant.
 * @throws SandboxError 401 when it was used, or is too old
 */
function takeGrant(id: string): Grant {
  const grant = grants.get(id);
  grants.delete(id);
  if (!grant || grant.untilMs < Date.now()) throw new SandboxError(401, "The ephemeral token is not valid");
  return grant;
}

interface IssuedToken {
  readonly data: { readonly ephemeralToken: string; readonly expiresAt: string };
}

/** A fresh ephemeral token. */
export function issueToken(): IssuedToken {
  const untilMs = Date.now() + tokenMs;
  return {
    data: { ephemeralToken: addGrant({ untilMs, card: null }), expiresAt: new Date(untilMs).toISOString() },
  };
}

/**
 * The token in both forms: the answer of the elements' host, and that of the published example of a partner's server.
 */
function relayToken() {
  const issued = issueToken();
  return { ...issued, success: true, message: "Token issued", responseObject: issued, statusCode: 200 };
}

export const elementsToken = defineSandboxRoute({
  method: "GET",
  path: "/elements/token",
  summary: "An ephemeral token that opens one secure card element within a minute",
  input: z.object({}),
  example: {},
  isOpenToApps: true,
  run: async () => relayToken(),
});

const opened = z.object({
  element: z.enum(elementNames),
  ephemeralToken: z.string().max(200),
  accessToken: z.string().max(8_192),
  cardToken: z.string().max(200),
});
const pin = z.object({ grant: z.string().max(200), pin: z.string().regex(/^\d{4}$/, "must be four digits") });
const hidden = z.object({ number: z.string(), cvc: z.string(), pin: z.string() });
const expiry = z.object({ exp_month: z.number(), exp_year: z.number() });

/**
 * The content of an element, for the user's own card. `setCardPin` gets a grant to set the PIN once.
 * @throws SandboxError
 */
export async function openElement(runtime: SandboxRuntime, input: unknown): Promise<Record<string, string>> {
  const { element, ephemeralToken, accessToken, cardToken } = opened.parse(input);
  if (takeGrant(ephemeralToken).card !== null) throw new SandboxError(401, "The ephemeral token is not valid");
  const actor = await runtime.services.accessTokens.verify(accessToken);
  if (typeof actor === "string" || actor.userId === null) throw new SandboxError(400, "The access token is not valid");
  await requireSettledContact(runtime, runtime.db, actor.userId).catch((error: unknown) => {
    throw error instanceof CardkeepError ? new SandboxError(422, error.message) : error;
  });
  const cards = await listCards(runtime.db, actor.userId);
  const card = cards.find((own) => own.cardToken === cardToken);
  const found = card ? await findIssuerObject(runtime.store, cardObject, cardToken) : null;
  if (!card || !found) throw new SandboxError(404, "No such card");
  const secrets = hidden.parse(found.hidden);
  if (element === "cardPin") return { pin: secrets.pin };
  if (element === "setCardPin") return { grant: addGrant({ untilMs: Date.now() + pinMs, card }) };
  const { exp_month: month, exp_year: year } = expiry.parse(found.data);
  return {
    number: secrets.number.replaceAll(/(\d{4})(?=\d)/g, "$1 "),
    expiry: `${String(month).padStart(2, "0")}/${String(year).slice(-2)}`,
    cvc: secrets.cvc,
  };
}

/**
 * Sets the PIN of the grant's card. Partners get the event of a physical one, which the real issuer does not report.
 * @throws SandboxError
 */
export async function setPin(runtime: SandboxRuntime, input: unknown): Promise<{ ok: true }> {
  const given = pin.parse(input);
  const { card } = takeGrant(given.grant);
  const found = card && (await findIssuerObject(runtime.store, cardObject, card.cardToken));
  if (!card || !found) throw new SandboxError(404, "No such card");
  await runtime.store.transaction((tx) =>
    updateIssuerObject(tx, found.id, { hidden: { ...found.hidden, pin: given.pin } }),
  );
  const { userId, cardToken, virtual } = card;
  if (virtual) return { ok: true };
  await createContext(runtime.services, { log: runtime.log, requestId: generateId() }).commit((work) =>
    publish(work, "physical.card.pin.changed", userId, { userId, cardToken }),
  );
  return { ok: true };
}
