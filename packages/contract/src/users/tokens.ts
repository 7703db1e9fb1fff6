/**
 * Tokens: keys with which programs of a user read, and change nothing.
 *
 * Form: `ck_`, 32 random characters of base62, and 6 characters of base62 that are the CRC-32 of those 32. So scanners for leaked
 * secrets recognize one without asking the service.
 */
import { z } from "zod";
import { givenInstant } from "../core/instantOrDate.ts";
import { givenId, id, instant, line } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";
import { tokenScopes, tokenScopeTexts } from "../core/scopes.ts";

/** What a token looks like; the last six characters are its checksum. */
export const tokenPattern = /^ck_[0-9A-Za-z]{38}$/;

/** Tokens of one user that are neither revoked nor expired. */
export const tokensMax = 20;

/** Days that a token which ended stays in the list. */
export const tokensKeptDays = 30;

export const tokenStatuses = ["active", "expired", "revoked", "reported"] as const;
export type TokenStatus = (typeof tokenStatuses)[number];

const example = "ck_8Zr1Qm0xT4vW7yL2pN6sK3cH5jF9dGbA2kQ7Hx";
const scopeList = tokenScopes.map((scope) => `\`${scope}\`: ${tokenScopeTexts[scope]}`).join("; ");

const fields = {
  id: id.meta({ description: "The token's id, for its revocation" }),
  name: z.string().meta({ description: "The name that the user gave it", examples: ["Bookkeeping"] }),
  scopes: z
    .array(z.enum(tokenScopes).meta({ description: "A scope", examples: ["transactions"] }))
    .meta({ description: `What it reads. ${scopeList}`, examples: [["transactions", "statements"]] }),
  createdAt: instant.meta({ description: "When it was made" }),
  expiresAt: instant.nullable().meta({ description: "When it ends; null: it ends when it is revoked" }),
};

const shared = {
  access: "user",
  errorStyle: "error",
  failure: { style: "error", text: "Internal server error" },
} as const;

export const create = defineRoute({
  ...shared,
  method: "POST",
  path: "/tokens",
  summary: "Makes a token that reads and changes nothing, for a program of the user; it is shown this once",
  status: 201,
  holdsToken: true,
  input: z.object({
    name: line(64)
      .refine((text) => text.length > 0)
      .meta({ description: "A name by which the user knows it again", minLength: 1, examples: ["Bookkeeping"] }),
    scopes: z
      .array(z.enum(tokenScopes).meta({ description: "A scope", examples: ["transactions"] }))
      .min(1)
      .max(16)
      .meta({ description: `What it reads. ${scopeList}`, examples: [["transactions", "statements"]] }),
    expiresAt: z
      .codec(givenInstant(), z.date(), {
        decode: (text) => new Date(text),
        encode: (value) => value.toISOString(),
      })
      .nullish()
      .meta({
        description: "When it ends: ISO 8601, in the future; without it, it ends when it is revoked",
        examples: ["2027-01-01T00:00:00.000Z"],
      }),
  }),
  output: z.object({
    ...fields,
    token: z.string().meta({
      description: "The token, for `Authorization: Bearer`. The service keeps its hash alone",
      examples: [example],
    }),
  }),
  errors: ["request.invalid", "tokens.past_expiry", "tokens.too_many"],
});

export const list = defineRoute({
  ...shared,
  method: "GET",
  path: "/tokens",
  summary: `The user's tokens, newest first; those that ended stay for ${tokensKeptDays} days`,
  output: z.array(
    z
      .object({
        ...fields,
        status: z
          .enum(tokenStatuses)
          .meta({ description: "Whether it works. reported: its finder ended it", examples: ["active"] }),
        lastUsedAt: instant
          .nullable()
          .meta({ description: "When it was used last, to the minute; null before its first use" }),
      })
      .meta({ id: "Token", description: "A token of the user, without the token itself" }),
  ),
  errors: [],
});

export const remove = defineRoute({
  ...shared,
  method: "DELETE",
  path: "/tokens/{id}",
  summary: "Revokes a token at once; the same again changes nothing",
  // In any form, an unknown id is not found.
  input: z.object({ id: givenId.meta({ description: "The token's id, from `GET /tokens`" }) }),
  output: z.object({ id: id.meta({ description: "The token's id" }) }),
  errors: ["tokens.not_found"],
});

export const report = defineRoute({
  ...shared,
  access: "public",
  method: "POST",
  path: "/tokens/report",
  summary: "Revokes a token that leaked: the finder has the token and needs nothing else",
  input: z.object({
    token: z
      .string()
      .max(1_000)
      .meta({ description: "The token that was found", examples: [example] }),
  }),
  output: z.object({
    revoked: z.boolean().meta({
      description: "Whether this ended it; false: it had ended, or is no token of this service",
      examples: [true],
    }),
  }),
  errors: ["request.invalid"],
});
