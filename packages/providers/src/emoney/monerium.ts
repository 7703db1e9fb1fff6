/**
 * The e-money institution Monerium, over its HTTP API, version 2. Source: docs.monerium.com and its OpenAPI file.
 *
 * Its own SDK serves one signed-in browser user and has no time limits or custom hosts, so it is not used.
 */
import { givenInstant } from "@cardkeep/contract/core/instantOrDate";
import { ibanOrderStates } from "@cardkeep/contract/users/ibanOrders";
import { addressDeclaration } from "@cardkeep/contract/users/ibans";
import { type Address, transactionHash } from "@cardkeep/contract/core/primitives";
import { createHash } from "node:crypto";
import { z } from "zod";
import { ProviderUnreadable, type ReportCall } from "../http.ts";
import { assignedIban, isAuthentic, isElsewhere, order, parseCallback } from "./callback.ts";
import { nameChain } from "./chainNames.ts";
import { createMoneriumCalls, isStatus } from "./moneriumCalls.ts";
import type { EmoneyProvider } from "./port.ts";

/** A state that is not known here is one in which the profile waits. */
const profileAnswer = z.object({ id: z.string(), state: z.string() });
const contextAnswer = z.object({ email: z.string().min(1), defaultProfile: z.string().min(1) });
const ibansAnswer = z.object({ ibans: z.array(z.looseObject({ address: z.string(), chain: z.string() })) });
const foundAnswer = z.array(assignedIban);
const subscriptionAnswer = z.object({
  id: z.string(),
  url: z.string(),
  state: z.string(),
  types: z.array(z.string()).default([]),
});
const subscriptionsAnswer = z.object({ subscriptions: z.array(subscriptionAnswer) });
const eventTypes = ["iban.updated", "profile.updated", "order.created", "order.updated"];
const ordersAnswer = z.object({ orders: z.array(z.unknown()) });
const profilesAnswer = z.object({
  profiles: z.array(z.object({ id: z.string().min(1), state: z.string(), kind: z.string().optional() })),
});
const redeemAnswer = z.object({
  state: z.enum(ibanOrderStates),
  meta: z
    .looseObject({
      txHashes: z.array(transactionHash).nullish(),
      processedAt: givenInstant().nullish().catch(null),
      rejectedReason: z.string().nullish(),
    })
    .nullish(),
});
const balancesAnswer = z.object({ balances: z.array(z.object({ currency: z.string(), amount: z.string() })) });
const orderId = z.object({ id: z.string().min(1).max(128) });
const anyAnswer = z.unknown();

/** PKCE's challenge of a verifier (RFC 7636, S256). */
const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

const awaitsFile = (state: string): boolean => state === "created" || state === "incomplete";

/** The institution's lists have no pages. */
const listBytesMax = 64 * 1024 * 1024;

/** The adapter for one app. */
export function createMonerium(input: {
  url: string;
  consentUrl: string;
  clientId: string;
  clientSecret: string;
  /** The first is given to the institution; callbacks with any of them are genuine. */
  callbackSecrets: readonly string[];
  chainId: number;
  timeoutMs: number;
  report?: ReportCall;
  /** Called with the secret of each genuine callback. */
  onSecret?: (secret: string) => void;
}): EmoneyProvider {
  const { clientId } = input;
  const { call, requestConsent } = createMoneriumCalls(input);
  const chain = nameChain(input.chainId);

  const findProfile = async (profileId: string, accessToken: string | null) => {
    try {
      return await call(profileAnswer, { method: "GET", path: `/profiles/${profileId}`, accessToken });
    } catch (error) {
      if (isStatus(error, 403, 404)) return null;
      throw error;
    }
  };

  /** The state of a new profile; null if the person has a profile that we did not create. */
  const makeProfile = async (profileId: string) => {
    try {
      const body = { id: profileId, kind: "personal" };
      return (await call(profileAnswer, { method: "POST", path: "/profiles", body })).state;
    } catch (error) {
      if (!isStatus(error, 409)) throw error;
      // A parallel request may have created it.
      return (await findProfile(profileId, null))?.state ?? null;
    }
  };

  const isOurs = (address: Address) => (item: { address: string; chain: string }) =>
    item.chain === chain && item.address.toLowerCase() === address.toLowerCase();

  return {
    createProfile: async ({ profileId, shareFile }) => {
      const state = (await findProfile(profileId, null))?.state ?? (await makeProfile(profileId));
      if (state === null) return "exists";
      // In any other state the file was shared before.
      if (!awaitsFile(state)) return "created";
      // Before: a refusal of the identity provider's is not the institution's.
      const token = await shareFile();
      try {
        const body = { provider: "sumsub", personal: { token } };
        await call(anyAnswer, { method: "POST", path: `/profiles/${profileId}/share`, body });
        return "created";
      } catch (error) {
        if (!isStatus(error, 409)) throw error;
        const now = await findProfile(profileId, null);
        return now !== null && !awaitsFile(now.state) ? "created" : "exists";
      }
    },
    getProfileState: async ({ profileId, accessToken }) => {
      const { state } = await call(profileAnswer, { method: "GET", path: `/profiles/${profileId}`, accessToken });
      if (state === "approved") return "approved";
      return state === "rejected" || state === "blocked" ? "rejected" : "open";
    },
    linkAddress: async ({ profileId, address, signature, accessToken }) => {
      const body = { profile: profileId, address, chain, message: addressDeclaration, signature };
      try {
        await call(anyAnswer, { method: "POST", path: "/addresses", body, accessToken });
      } catch (error) {
        // Already linked.
        if (!isStatus(error, 409)) throw error;
      }
    },
    requestIban: async ({ address, accessToken }) => {
      await call(anyAnswer, { method: "POST", path: "/ibans", body: { address, chain }, accessToken });
    },
    findIban: async ({ profileId, address, accessToken }) => {
      const path = `/ibans?${new URLSearchParams({ profile: profileId, chain })}`;
      const { ibans } = await call(ibansAnswer, { method: "GET", path, accessToken });
      const read = foundAnswer.safeParse(ibans.filter(isOurs(address)));
      // Without the error as a cause: it quotes the answer.
      if (!read.success) throw new ProviderUnreadable("The e-money institution sent an invalid IBAN");
      return read.data[0] ?? null;
    },
    listOrders: async ({ profileId }) => {
      const path = `/orders?${new URLSearchParams({ profile: profileId })}`;
      const { orders } = await call(ordersAnswer, { method: "GET", path, answerBytesMax: listBytesMax });
      // An order that cannot be read is refused as its callback would be, and holds up no other one.
      const here = orders.filter((each) => !isElsewhere(each, chain));
      const read = here.map((each) => ({ data: order.safeParse(each).data, id: orderId.safeParse(each).data?.id }));
      return {
        orders: read.flatMap(({ data }) => data ?? []),
        unreadable: read.flatMap(({ data, id }) => (data === undefined ? [id ?? "unknown"] : [])),
      };
    },
    listProfiles: async () => {
      const { profiles } = await call(profilesAnswer, {
        method: "GET",
        path: "/profiles",
        answerBytesMax: listBytesMax,
      });
      // The operator's own profile is a company's.
      const people = profiles.filter(({ kind = "personal" }) => kind === "personal");
      return people.map(({ id, state }) => ({ id, isApproved: state === "approved" }));
    },
    // Source: docs.monerium.com, `POST /orders`: the instant is RFC 3339 without fractions.
    describeRedeem: ({ currency, amount, iban }, at) =>
      `Send ${currency.toUpperCase()} ${amount} to ${iban} at ${at.toISOString().replace(/\.\d+Z$/, "Z")}`,
    placeRedeem: async ({ iban, name, documentId, ...placed }) => {
      const counterpart = {
        identifier: { standard: "iban", iban },
        details: { companyName: name, country: iban.slice(0, 2) },
      };
      const body = {
        kind: "redeem",
        chain,
        counterpart,
        ...placed,
        ...(documentId !== null && { supportingDocumentId: documentId }),
      };
      try {
        await call(anyAnswer, { method: "POST", path: "/orders", body });
      } catch (error) {
        // An answer was lost: the institution has the order.
        if (!isStatus(error, 409)) throw error;
      }
    },
    findRedeem: async ({ id }) => {
      try {
        const { state, meta } = await call(redeemAnswer, { method: "GET", path: `/orders/${id}` });
        const processedAt = meta?.processedAt ? new Date(meta.processedAt) : null;
        return { state, txHashes: meta?.txHashes ?? [], processedAt, rejectedReason: meta?.rejectedReason ?? null };
      } catch (error) {
        if (isStatus(error, 404)) return null;
        throw error;
      }
    },
    readBalances: async ({ address }) => {
      const path = `/balances/${chain}/${address}`;
      const { balances } = await call(balancesAnswer, { method: "GET", path });
      return balances.map(({ currency, amount }) => ({ currency: currency.toUpperCase(), amount }));
    },
    subscribe: async ({ url }) => {
      const { subscriptions } = await call(subscriptionsAnswer, { method: "GET", path: "/webhooks" });
      const known = subscriptions.find((each) => each.url === url && each.state === "active");
      if (known && eventTypes.every((type) => known.types.includes(type))) return;
      if (known) {
        const body = { state: "active", types: [...new Set([...known.types, ...eventTypes])] };
        await call(anyAnswer, { method: "PATCH", path: `/webhooks/${known.id}`, body });
        return;
      }
      const [secret] = input.callbackSecrets;
      await call(anyAnswer, { method: "POST", path: "/webhooks", body: { url, secret, types: eventTypes } });
    },
    renewSubscription: async ({ url, secret }) => {
      const { subscriptions } = await call(subscriptionsAnswer, { method: "GET", path: "/webhooks" });
      const body = { url, secret, types: eventTypes };
      const made = await call(subscriptionAnswer, { method: "POST", path: "/webhooks", body });
      for (const { id } of subscriptions.filter((known) => known.url === url && known.state === "active"))
        if (id !== made.id)
          await call(anyAnswer, {
            method: "PATCH",
            path: `/webhooks/${id}`,
            body: { state: "inactive", types: eventTypes },
          });
    },
    buildConsentUrl: ({ redirectUri, state, verifier, email }) => {
      const query = {
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: challengeOf(verifier),
        code_challenge_method: "S256",
        email,
      };
      return `${input.consentUrl}?${new URLSearchParams(query)}`;
    },
    exchangeCode: async ({ code, verifier, redirectUri }) => {
      const tokens = await requestConsent({
        grant_type: "authorization_code",
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
      });
      const { accessToken } = tokens;
      const { email, defaultProfile } = await call(contextAnswer, {
        method: "GET",
        path: "/auth/context",
        accessToken,
      });
      return { ...tokens, profileId: defaultProfile, email };
    },
    renewConsent: ({ refreshToken }) => requestConsent({ grant_type: "refresh_token", refresh_token: refreshToken }),
    parseCallback: ({ rawBody, headers }) => {
      const secret = input.callbackSecrets.find((each) => isAuthentic(rawBody, headers, each));
      if (headers.id === null || secret === undefined) return "forged";
      input.onSecret?.(secret);
      return parseCallback(rawBody, { id: headers.id, chain });
    },
  };
}
