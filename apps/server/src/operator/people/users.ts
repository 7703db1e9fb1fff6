/** The search for one user. */
import { resolveUser } from "@cardkeep/domain/users/users/listUsers";
import { type Action, linkTo } from "../page/page.ts";

/** By POST, so that mail addresses stay out of browser histories and access logs. */
export const findUser: Action = async ({ ctx, form }) => {
  const { id } = await resolveUser(ctx.db, (form.get("user") ?? "").trim());
  return linkTo(`/operator/users/${id}`);
};
