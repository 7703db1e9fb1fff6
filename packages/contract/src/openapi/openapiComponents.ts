/** Parts that the operations of the OpenAPI document share: security schemes, parameters and headers. */

type Json = Record<string, unknown>;

export const components = {
  securitySchemes: {
    partnerKey: {
      type: "http",
      scheme: "bearer",
      description: "A partner's API key, shown once when the partner is registered or its key is rotated",
    },
    userToken: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "ck_ and 38 characters of base62",
      description: "A token that `POST /api/v1/tokens` answers; it reads what its scopes name",
    },
    bearer: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: "The `token` that `POST /api/v1/auth/challenge` answers",
    },
  },
  parameters: {
    IdempotencyKey: {
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description:
        "The client's own name of this request. If it is sent again with the same body, it gets the first answer again and is not executed twice. Kept for 24 hours.",
      schema: { type: "string", minLength: 1, maxLength: 255 },
    },
  },
  headers: {
    RequestId: {
      description: "Names the request in logs, jobs and rows: the client's own `X-Request-Id`, or a new one",
      schema: { type: "string" },
    },
    ErrorCode: {
      description: "The error's code in the catalogue of errors, such as `safes.not_found`",
      schema: { type: "string" },
    },
    Challenge: {
      description: "The scheme that the route requires (RFC 6750)",
      schema: { type: "string", const: 'Bearer realm="cardkeep"' },
    },
    RetryAfter: {
      description: "Seconds after which the same request may succeed",
      schema: { type: "integer", minimum: 1 },
    },
    RateLimit: {
      description:
        'The exhausted quota, the remaining requests, and the seconds until it is renewed: `"reads";r=0;t=30`',
      schema: { type: "string" },
    },
    RateLimitPolicy: {
      description: 'The same quota: its requests, and its period in seconds: `"reads";q=1200;w=60`',
      schema: { type: "string" },
    },
    Deprecation: {
      description: "The route is deprecated since this instant: `@` and unix seconds (RFC 9745)",
      schema: { type: "string", pattern: "^@[0-9]+$" },
    },
    Sunset: {
      description: "The earliest instant at which the route may be removed (RFC 8594)",
      schema: { type: "string" },
    },
    Link: {
      description:
        "`help`: the error on the reference page. On deprecated routes also `successor-version` and `deprecation`",
      schema: { type: "string" },
    },
  },
} as const;

/** A reference to one of the headers. */
export const headerOf = (name: keyof typeof components.headers): Json => ({ $ref: `#/components/headers/${name}` });
