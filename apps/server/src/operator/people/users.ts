/** The search for one user: by a reference, or by what the search of everything finds of people, such as a name. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { search } from "@cardkeep/domain/operations/search/search";
import { resolveUser } from "@cardkeep/domain/users/users/listUsers";
import { type Action, linkTo } from "../page/page.ts";
import { findAnything } from "../search.ts";

/** By POST, so that mail addresses stay out of browser histories and access logs. */
export const findUser: Action = async (visit) => {
  const text = (visit.form.get("user") ?? "").trim();
  try {
    const { id } = await resolveUser(visit.ctx.db, text);
    return linkTo(`/operator/users/${id}`);
  } catch (error) {
    if (!(error instanceof CardkeepError && error.status === 404)) throw error;
    const { groups } = await search(visit.ctx, { text });
    if (!groups.some(({ kind }) => kind === "users")) throw error;
    return findAnything({ ...visit, form: new URLSearchParams({ text }) });
  }
};
