/** Where a page that runs a route finds an id of the person: the parameter's name, a list of theirs, and the field in it. */
import { apiPrefix, listPathParameters, type Route } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";

interface IdSource {
  /** A GET that answers a list, in which the first entry counts. */
  readonly path: string;
  readonly field: string;
}

const sources: Readonly<Record<string, IdSource>> = {
  cardId: { path: routes.cards.list.path, field: "id" },
  orderId: { path: routes.orders.list.path, field: "id" },
  threadId: { path: routes.transactions.listAll.path, field: "threadId" },
  walletTokenId: { path: routes.walletTokens.list.path, field: "id" },
  ruleId: { path: routes.partners.rules.path, field: "id" },
};

/** The sources of a route's path parameters, by name; none for a parameter that a person chooses. */
export const findIdSources = ({ path }: Route): Record<string, IdSource> =>
  Object.fromEntries(
    listPathParameters(path).flatMap((name) => {
      const source = sources[name];
      return source ? [[name, { ...source, path: apiPrefix + source.path }]] : [];
    }),
  );
