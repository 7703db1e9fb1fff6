/** The card issuer Stripe Issuing, through its own package. Source: docs.stripe.com/api/issuing. */
import { createHash, createPublicKey, timingSafeEqual } from "node:crypto";
import { CompactEncrypt } from "jose";
import Stripe from "stripe";
import { z } from "zod";
import { createBreaker } from "../breaker.ts";
import {
  ProviderPostponed,
  ProviderRefused,
  ProviderUnavailable,
  ProviderUnreadable,
  type ReportCall,
} from "../http.ts";
import { changeCardholder } from "./changeCardholder.ts";
import { createOnce } from "./createOnce.ts";
import { isAbsent, orNull } from "./stripeAbsence.ts";
import { createBalanceIssuer } from "./stripeBalance.ts";
import { createCallbackIssuer } from "./stripeCallbacks.ts";
import { createDisputeIssuer } from "./stripeDisputes.ts";
import { isAhead, parseEvent } from "./stripeEvent.ts";
import { createStripeHttp } from "./stripeHttp.ts";
import { isGenuine } from "./stripeSignature.ts";
import { replaceSpendingControls } from "./stripeControls.ts";
import { buildCard, buildCardholder, toIssuedCard } from "./stripeCard.ts";
import { readToken } from "./stripeToken.ts";
import { findCardId, findThreadId, readAuthorization, readTransaction } from "./stripeSpending.ts";
import { type KeptThread, ThreadUnreadable } from "./spending.ts";
import type { CardIssuer, ListedCard } from "./port.ts";

/** The issuer's transaction ids begin with it; those of authorizations begin differently. */
const transactionPrefix = "ipi_";
const readThread = "read a use of a card";

/** The adapter for one account at the issuer; `pinKey` is its published key for PINs, SPKI DER in base64. */
export function createStripeIssuer(input: {
  url: string;
  apiKey: string;
  callbackSecrets: readonly string[];
  pinKey: string | null;
  timeoutMs: number;
  report?: ReportCall;
  /** Called with the secret of each genuine callback. */
  onSecret?: (secret: string) => void;
}): CardIssuer {
  const { protocol, hostname, port } = new URL(input.url);
  const stripe = new Stripe(input.apiKey, {
    protocol: protocol === "http:" ? "http" : "https",
    host: hostname,
    ...(port !== "" && { port: Number(port) }),
    timeout: input.timeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: createStripeHttp(),
  });
  const breaker = createBreaker("The card issuer");
  const ask = <T>(what: string, call: () => Promise<T>): Promise<T> => breaker(() => measure(what, call, input.report));
  const { authorizations, cardholders, cards, tokens, transactions } = stripe.issuing;

  const findByReference = async (wanted: { cardholderId: string; reference: string }) => {
    for await (const card of cards.list({ cardholder: wanted.cardholderId, limit: 100 })) {
      if (card.metadata["reference"] === wanted.reference) return card;
    }
    return null;
  };

  return {
    saveCardholder: async (cardholder, issuerId) => {
      const params = buildCardholder(cardholder);
      const { email, phone, userId } = cardholder;
      const known = email === null ? { phone_number: phone } : { email };
      const create = (idempotencyKey: string) =>
        cardholders.create({ ...params, type: "individual" }, { idempotencyKey });
      const find = async () => {
        for await (const found of cardholders.list({ ...known, limit: 100 })) {
          if (found.metadata["user_id"] === userId) return found;
        }
        return null;
      };
      // The key contains the request: under one key the issuer rejects different requests.
      const key = `cardholder:${userId}:${digest(JSON.stringify(params))}`;
      const saved = await ask("save the cardholder", () =>
        issuerId === null ? createOnce(key, { create, find }) : changeCardholder(cardholders, issuerId, params),
      );
      return saved.id;
    },
    sealPin: (pin) => encryptPin(pin, input.pinKey),
    createCard: async (request) => {
      const params = buildCard(request);
      const create = (idempotencyKey: string) => cards.create(params, { idempotencyKey });
      const find = () => findByReference(request);
      return toIssuedCard(
        await ask("create the card", () => createOnce(`card:${request.reference}`, { create, find })),
      );
    },
    findCard: async (wanted) => {
      const found = await ask("find the card", () => findByReference(wanted));
      return found && toIssuedCard(found);
    },
    listCards: (since) =>
      ask("list the cards", async () => {
        const page = { created: { gte: Math.floor(since.getTime() / 1000) }, limit: 100 };
        const listed: ListedCard[] = [];
        for await (const card of cards.list(page)) {
          const { cardholder, type, metadata } = card;
          const made = {
            cardholderId: cardholder.id,
            orderId: metadata["order_id"] ?? null,
            isVirtual: type === "virtual",
          };
          listed.push({ ...toIssuedCard(card), ...made });
        }
        return listed.reverse();
      }),
    setCardStatus: async (cardToken, status, cancelledAs, timeoutMs = input.timeoutMs) => {
      const options = { timeout: Math.min(timeoutMs, input.timeoutMs) };
      await ask("change the card", async () => {
        if (status === "canceled" && (await cards.retrieve(cardToken, {}, options)).status === "canceled") return;
        await cards.update(cardToken, { status, ...(cancelledAs && { cancellation_reason: cancelledAs }) }, options);
      });
    },
    setCardholderStatus: async (cardholderId, status, timeoutMs = input.timeoutMs) => {
      const options = { timeout: Math.min(timeoutMs, input.timeoutMs) };
      await ask("change the cardholder", () => cardholders.update(cardholderId, { status }, options));
    },
    listInactive: () =>
      ask("list what is inactive", async () => {
        const page = { status: "inactive", limit: 100 } as const;
        const found = { cardholderIds: new Array<string>(), cardTokens: new Array<string>() };
        for await (const { id } of cardholders.list(page)) found.cardholderIds.push(id);
        for await (const { id } of cards.list(page)) found.cardTokens.push(id);
        return found;
      }),
    setSpendingControls: async (cardToken, controls) => {
      await ask("set the card's controls", () =>
        cards.update(cardToken, { spending_controls: replaceSpendingControls(controls) }),
      );
    },
    findWalletToken: (id) => ask("read a wallet token", () => orNull(async () => readToken(await tokens.retrieve(id)))),
    setWalletTokenStatus: async (id, status) => {
      await ask("change a wallet token", () => tokens.update(id, { status }));
    },
    hasNumber: async (cardToken, number) => {
      const card = await ask("read the card", () => cards.retrieve(cardToken, { expand: ["number"] }));
      // The issuer shows the numbers of virtual cards alone. Source: docs.stripe.com/api/issuing/cards/object.
      if (card.number === undefined) return number.endsWith(card.last4);
      const [known, given] = [card.number, number].map((text) => createHash("sha256").update(text).digest());
      return known !== undefined && given !== undefined && timingSafeEqual(known, given);
    },
    answerHeaders: { "Stripe-Version": Stripe.API_VERSION },
    findThread: (threadId) =>
      ask(readThread, async () => {
        const isTransaction = threadId.startsWith(transactionPrefix);
        let object: unknown = null;
        try {
          object = await (isTransaction ? transactions : authorizations).retrieve(threadId);
          return isTransaction ? readTransaction(object) : readAuthorization(object);
        } catch (error) {
          if (isAbsent(error)) return null;
          if (!(error instanceof z.ZodError)) throw error;
          throw new ThreadUnreadable(describeUnreadable(readThread, error), { issuerCardId: findCardId(object) });
        }
      }),
    listThreads: (since) =>
      ask("list uses of cards", async () => {
        const page = { created: { gte: Math.floor(since.getTime() / 1000) }, limit: 100 };
        const kept: KeptThread[] = [];
        for await (const { id, approved, status } of authorizations.list(page)) {
          kept.push({ threadId: id, clearingId: null, isHeld: approved && status === "pending" });
        }
        for await (const listed of transactions.list(page)) {
          kept.push({ threadId: findThreadId(listed) ?? listed.id, clearingId: listed.id, isHeld: false });
        }
        return kept;
      }),
    ...createDisputeIssuer(stripe, ask),
    ...createBalanceIssuer(stripe, ask),
    ...createCallbackIssuer(stripe, ask),
    parseCallback: async ({ rawBody, signature }) => {
      // The package rejects old timestamps, but accepts any future one.
      if (signature === null || isAhead(signature)) return "forged";
      for (const secret of input.callbackSecrets) {
        if (!isGenuine(stripe, { rawBody, signature, secret })) continue;
        input.onSecret?.(secret);
        return parseEvent(rawBody);
      }
      return "forged";
    },
  };
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** Classifies failures, with texts of our own: the issuer's texts may quote the request. */
async function measure<T>(what: string, call: () => Promise<T>, report: ReportCall | undefined): Promise<T> {
  const startedAt = performance.now();
  const countCall = (outcome: "answered" | "refused" | "unavailable") =>
    report?.({ outcome, seconds: (performance.now() - startedAt) / 1000 });
  try {
    const answer = await call();
    countCall("answered");
    return answer;
  } catch (error) {
    const fault = toProviderError(what, error);
    const isRefused = fault instanceof ProviderRefused || fault instanceof ProviderPostponed;
    countCall(isRefused ? "refused" : fault instanceof ProviderUnreadable ? "answered" : "unavailable");
    throw fault;
  }
}

/** Names the fields alone: their content is the issuer's. */
function describeUnreadable(what: string, { issues }: z.ZodError): string {
  const fields = [...new Set(issues.map(({ path }) => path.join(".")))].join(", ");
  return `The card issuer's answer cannot be read, to ${what}: ${fields}`;
}

function toProviderError(what: string, error: unknown): ProviderRefused | ProviderUnavailable {
  const isClassified = error instanceof ProviderUnreadable || error instanceof ProviderPostponed;
  if (isClassified || error instanceof ProviderRefused) return error;
  if (error instanceof z.ZodError) return new ProviderUnreadable(describeUnreadable(what, error));
  const status = error instanceof Stripe.errors.StripeError ? (error.statusCode ?? 0) : 0;
  const details = error instanceof Stripe.errors.StripeError ? [error.code, error.param] : [];
  const text = [`The card issuer did not ${what}: ${status || "no answer"}`, ...details.filter(Boolean)].join(" ");
  // A wrong key, or one in use twice at once, says nothing about the request, and nor does a gateway's 404.
  const isFinal = status >= 400 && status < 500 && ![401, 403, 404, 408, 409, 429].includes(status);
  if (isFinal || isAbsent(error)) return new ProviderRefused(status, text);
  // Most limits are of one kind of call, and an object in use is refused so too. Source: docs.stripe.com/rate-limits.
  if (status === 409 || status === 429) return new ProviderPostponed(text);
  // The issuer's texts stay out of the logs; our own programming errors do not.
  return new ProviderUnavailable(text, error instanceof Stripe.errors.StripeError ? {} : { cause: error });
}

/**
 * A compact JWE for the issuer's RSA key, different each time.
 * @throws ProviderRefused without that key
 */
async function encryptPin(pin: string, pinKey: string | null): Promise<string> {
  if (pinKey === null) throw new ProviderRefused(422, "The issuer's key for PINs is not set");
  const key = createPublicKey({ key: Buffer.from(pinKey, "base64"), format: "der", type: "spki" });
  return new CompactEncrypt(new TextEncoder().encode(pin))
    .setProtectedHeader({ alg: "RSA-OAEP-256", enc: "A256GCM" })
    .encrypt(key);
}
