/** The published package's one entry; inside the repository each file is imported by its name. */
export { type CardkeepClient, type CardkeepClientOptions, createCardkeepClient, once } from "./client.ts";
export { CardkeepClientError, findErrorCode, type UnreachableCode } from "./errors.ts";
export { type DeliveryKey, DeliveryRefused, type VerifiedDelivery, verifyDelivery } from "./webhooks.ts";
export type { Balances, CallInputs, CallOutputs, Card, CardTransaction, Delay, Order, User } from "./types.ts";
export { type ErrorCode, errorCodes } from "@cardkeep/contract/core/errorCatalogue";
export type { DeclineCode } from "@cardkeep/contract/spending/declineWords";
export type { EventType } from "@cardkeep/contract/partners/events";
export type { AppRouter } from "@cardkeep/contract/routes";
