/** Exports of the operator's API, as files of any size. */
import { createOperatorContext } from "@cardkeep/domain/core/context";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import { requireRole } from "@cardkeep/domain/core/operators/requireRole";
import { beginExport } from "@cardkeep/domain/operations/exports/runExport";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { requestIdOf } from "../../caller.ts";
import { withDeadline } from "../../deadline.ts";
import { logError } from "../../observe.ts";
import { urlOf } from "../../url.ts";
import { answerFile } from "../page/answerFile.ts";
import { answerFault, base } from "./answers.ts";
import { authenticateOperator } from "./authenticate.ts";

/** Mounts the file of each export. */
export function mountExportApi(app: Elysia, runtime: Runtime): void {
  app.get(`${base}/exports/:key/file`, ({ request, params }) =>
    withDeadline(async () => {
      const actor = await authenticateOperator(app, runtime, request);
      requireRole(actor, "exports.run");
      const requestId = requestIdOf(request);
      const log = runtime.log.child({ requestId });
      const ctx = createOperatorContext(runtime.services, { log, requestId, actor, reason: null });
      const given = Object.fromEntries(urlOf(request).searchParams);
      const running = await beginExport(ctx, { ...given, name: params.key });
      return answerFile(running, running.pieces, (error) =>
        logError(runtime, toCardkeepError(error), { requestId, operation: "operator-api" }),
      );
    }).catch((error: unknown) => answerFault(runtime, request, error)),
  );
}
