/** Everything that is known of a user, for the user to have. */
import { exportUser } from "@cardkeep/domain/users/eraseUser";
import { markup } from "@cardkeep/html/markup";
import type { ShowPage } from "./page.ts";
import { renderIdLink, renderInstant } from "./parts.ts";
import { buildTable } from "./table.ts";

const toJson = (data: unknown): string =>
  JSON.stringify(data, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));

export const showUserExport: ShowPage = async (visit) => {
  const { userId, exportedAt, tables } = await exportUser(visit.ctx, { reference: visit.params["id"] ?? "" });
  const rows = tables.flatMap(({ table, rows: held }) => held.map((row) => ({ table, row: toJson(row) })));
  const data = buildTable(visit, {
    name: "personal-data",
    none: "No personal data are held.",
    rows,
    columns: [
      { name: "Table", text: ({ table }) => table },
      { name: "Row", text: ({ row }) => row },
    ],
  });
  return {
    title: "Personal data",
    body: markup`<p class="lead">
        Of user ${renderIdLink("/operator/users", userId)}, read at ${renderInstant(exportedAt)}. The CSV is for the user to have.
      </p>
      ${data}`,
    tables: [data],
  };
};
