/** Settings of operators: who may sign in, and for how long. */
import { minuteMs } from "@cardkeep/contract/core/durations";
import { email } from "@cardkeep/contract/users/auth";
import { type OperatorRole, operatorRoles as roles } from "@cardkeep/domain/core/actor";
import { type TwoPersonVerb, twoPersonVerbs } from "@cardkeep/domain/core/operators/verbs";
import type { OperatorPolicy } from "@cardkeep/domain/core/policy";
import { z } from "zod";
import type { processEnvironment } from "./process.ts";
import { readBy, type Values, wholeNumber } from "./types.ts";

/** The roles by group of a comma list of `group=role`; null for any other text. A group may have several. */
function parseRoles(text: string): ReadonlyMap<string, readonly OperatorRole[]> | null {
  const byGroup = new Map<string, readonly OperatorRole[]>();
  for (const entry of text.split(",").map((each) => each.trim())) {
    const [, group, name] = /^(.+)=([a-z]+)$/.exec(entry) ?? [];
    const role = roles.find((each) => each === name);
    if (group === undefined || role === undefined) return null;
    byGroup.set(group, [...(byGroup.get(group) ?? []), role]);
  }
  return byGroup;
}

/** The verbs of a comma list; null for any other text. */
function parseTwoPersons(text: string): readonly TwoPersonVerb[] | null {
  if (text === "none") return [];
  const names = text.split(",").map((each) => each.trim());
  const verbs = twoPersonVerbs.filter((verb) => names.includes(verb));
  return verbs.length === new Set(names).size ? verbs : null;
}

const minutes = (fallback: number, max: number, description: string) =>
  z.coerce.number<string>().int().min(1).max(max).default(fallback).describe(description);

export const operatorEnvironment = {
  OIDC_ISSUER: z
    .url()
    .optional()
    .describe("OpenID provider at which operators sign in; unset: the sandbox, and none in production"),
  OIDC_CLIENT_ID: z.string().min(1).default("cardkeep").describe("Client id of this service at the OpenID provider"),
  OIDC_CLIENT_SECRET: z
    .string()
    .min(1)
    .optional()
    .describe("Client secret at the OpenID provider; unset: a public client"),
  OIDC_SCOPES: z
    .string()
    .regex(/(^| )openid( |$)/, "must contain openid")
    .default("openid profile email")
    .describe(
      "Scopes that a sign-in asks for, separated by spaces; some providers give a refresh token for offline_access",
    ),
  OIDC_GROUPS_CLAIM: z
    .string()
    .min(1)
    .default("groups")
    .describe("Claim with an operator's groups; dots lead into it, as in realm_access.roles"),
  OPERATOR_ROLES: readBy(parseRoles, `must be a comma list of group=role; roles are ${roles.join(", ")}`)
    .optional()
    .describe(
      `Roles of operators by their groups, a comma list of group=role with the roles ${roles.join(", ")}; who is in no such ` +
        "group is refused. Unset outside production: each group of the sandbox has the role of its name",
    ),
  OPERATOR_TWO_PERSONS: readBy(parseTwoPersons, `must be none, or a comma list of ${twoPersonVerbs.join(", ")}`)
    .optional()
    .describe(
      `What a second operator has to approve: none, or a comma list of ${twoPersonVerbs.join(", ")}. Unset: all of them in ` +
        "production with OIDC_ISSUER, otherwise none",
    ),
  OPERATOR_SESSION_MINUTES: minutes(60, 1_440, "Minutes after which an operator signs in again"),
  OPERATOR_CLI: z
    .enum(["machine", "person"])
    .default("machine")
    .describe("Who may change something at a terminal: `person` requires `cardkeep operators sign-in`"),
  OPERATOR_REFRESH_MINUTES: minutes(5, 60, "Minutes after which the OpenID provider is asked again who an operator is"),
  ALERT_WEBHOOK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Address that gets the operators' alerts, signed as deliveries are; unset: none"),
  ALERT_MAIL: email.optional().describe("Mail address that gets the operators' alerts; unset: none"),
  ALERT_DEBT_CENTS_MIN: wholeNumber(10_000, 1, "What a user owes in one token is an alert from so many cents on"),
};

/** What an OpenID provider's adapter needs; null without a provider. */
export function readOpenid(
  e: Values<typeof operatorEnvironment>,
  { production, sandboxUrl }: { production: boolean; sandboxUrl: string },
) {
  const issuer = e.OIDC_ISSUER ?? (production ? null : `${sandboxUrl}/identity`);
  if (issuer === null) return null;
  return {
    issuer,
    clientId: e.OIDC_CLIENT_ID,
    clientSecret: e.OIDC_CLIENT_SECRET ?? null,
    scopes: e.OIDC_SCOPES,
    groupsClaim: e.OIDC_GROUPS_CLAIM,
  };
}

/** The groups of the sandbox, each with its role. */
const sandboxRoles = new Map(roles.map((role) => [`operators-${role}`, [role]]));

export const readOperators = (
  e: Values<typeof operatorEnvironment>,
  { production }: { production: boolean },
): OperatorPolicy => ({
  roles: e.OPERATOR_ROLES ?? (e.OIDC_ISSUER === undefined ? sandboxRoles : new Map()),
  sessionMs: e.OPERATOR_SESSION_MINUTES * minuteMs,
  refreshMs: e.OPERATOR_REFRESH_MINUTES * minuteMs,
  alerts: {
    webhookUrl: e.ALERT_WEBHOOK_URL ?? null,
    mail: e.ALERT_MAIL ?? null,
    debtCentsMin: BigInt(e.ALERT_DEBT_CENTS_MIN),
  },
  twoPersons: e.OPERATOR_TWO_PERSONS ?? (production && e.OIDC_ISSUER !== undefined ? twoPersonVerbs : []),
});

/** Without roles every person would be refused; without a provider there is no person to ask or approve. */
export const listOperatorFaults = (
  e: Values<typeof operatorEnvironment> & Pick<Values<typeof processEnvironment>, "NODE_ENV">,
): string[] => [
  ...(e.OIDC_ISSUER !== undefined && e.OPERATOR_ROLES === undefined
    ? ["OPERATOR_ROLES: is required with OIDC_ISSUER; it gives groups their roles"]
    : []),
  ...(e.NODE_ENV === "production" && e.OIDC_ISSUER === undefined && (e.OPERATOR_TWO_PERSONS ?? []).length > 0
    ? ["OPERATOR_TWO_PERSONS: needs OIDC_ISSUER; no other sign-in proves that two people act"]
    : []),
];
