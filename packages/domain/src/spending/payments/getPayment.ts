import { fail } from "@cardkeep/contract/core/errors";
import { findAnyPayment } from "@cardkeep/db/queries/spending/paymentParts";
import { type CardPayment, findPaymentByThread } from "@cardkeep/db/queries/spending/payments";
import type { Services } from "../../core/services.ts";

/** A payment of any user, by its id or its thread's. @throws transactions.not_found */
export const getPayment = async ({ db }: Pick<Services, "db">, reference: string): Promise<CardPayment> =>
  (await findAnyPayment(db, reference)) ?? (await findPaymentByThread(db, reference)) ?? fail("transactions.not_found");
