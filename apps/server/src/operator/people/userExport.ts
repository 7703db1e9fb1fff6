/** Everything that is known of a user, for the user to have. */
import { exportUser } from "@cardkeep/domain/users/users/eraseUser";
import { formatJson } from "@cardkeep/domain/core/wording";
import type { Action } from "../page/page.ts";

/** Answers a JSON file. */
export const exportData: Action = async ({ ctx, params }) => {
  const data = await exportUser(ctx, { reference: params["id"] ?? "" });
  return new Response(formatJson(data), {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="cardkeep-user-${data.userId}.json"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
};
