/** The description of sessions: how programs and people get the token that opens the rest. */
import { base } from "./answers.ts";
import { faults, json, ref, type Schema, word } from "./openapiParts.ts";

const sessionFaults = faults({ 404: "No OpenID provider is set", 422: "The body is wrong" });
const bodyOf = (...names: string[]) => ({
  type: "object",
  additionalProperties: false,
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, word()])),
});

export const sessionPaths: Readonly<Record<string, Schema>> = {
  [`${base}/sessions`]: {
    post: {
      operationId: "sessions.begin",
      tags: ["Sessions"],
      summary: "Begins a session of a program, or of a person who agreed",
      description:
        "A program gives the access token of its client credentials (RFC 9068), whose audience is the address of this API. A person's " +
        "device is the one of `sessions/device`. The groups of either have roles by OPERATOR_ROLES. A program counts for no approval.",
      security: [],
      requestBody: { required: true, ...json({ oneOf: [bodyOf("accessToken"), bodyOf("device")] }) },
      responses: {
        200: { description: "The session with its token, which is shown once", ...json(ref("Session")) },
        202: { description: "The person has not agreed yet" },
        ...sessionFaults,
      },
    },
  },
  [`${base}/sessions/device`]: {
    post: {
      operationId: "sessions.device",
      tags: ["Sessions"],
      summary: "Begins the sign-in of a person on another device (RFC 8628)",
      security: [],
      responses: { 200: { description: "What to show the person", ...json(ref("Device")) }, ...sessionFaults },
    },
  },
  [`${base}/sessions/current`]: {
    get: {
      operationId: "sessions.show",
      tags: ["Sessions"],
      summary: "Who calls, with which roles",
      responses: { 200: { description: "The operator of the token", ...json(ref("Caller")) }, ...faults() },
    },
    delete: {
      operationId: "sessions.end",
      tags: ["Sessions"],
      summary: "Ends the session of the token",
      responses: { 200: { description: "It is over on every server" }, ...faults() },
    },
  },
};

export const sessionSchemas: Readonly<Record<string, Schema>> = {
  Session: {
    type: "object",
    required: ["id", "token", "name", "roles", "endsAt"],
    properties: {
      id: word(),
      token: { type: "string", description: "The bearer of all other calls" },
      name: word(),
      roles: { type: "array", items: word() },
      endsAt: { type: "string", format: "date-time" },
    },
  },
  Caller: {
    type: "object",
    required: ["name", "roles", "proof"],
    properties: { name: word(), roles: { type: "array", items: word() }, proof: word() },
  },
  Device: {
    type: "object",
    required: ["device", "userCode", "address", "completeAddress", "expiresInSeconds", "intervalSeconds"],
    properties: {
      device: word(),
      userCode: word(),
      address: word(),
      completeAddress: { type: ["string", "null"] },
      expiresInSeconds: { type: "integer" },
      intervalSeconds: { type: "integer" },
    },
  },
};
