import { fail } from "@cardkeep/contract/core/errors";
import { ProviderUnavailable } from "@cardkeep/providers/http";

/** Why a mail that a request waits for did not leave. @throws auth.mail_unavailable, server.internal where the server refused it */
export const refuseUnsent = (cause: unknown): never =>
  fail(cause instanceof ProviderUnavailable ? "auth.mail_unavailable" : "server.internal", { cause });
