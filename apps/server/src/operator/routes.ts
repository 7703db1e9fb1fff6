/** Every page and form of the operator, each with its verb: roles are checked by it before the page runs. */
import { showRoles } from "./access/roles.ts";
import { deskForms, deskPages } from "./desk.ts";
import { showDelay } from "./money/delays.ts";
import { showMoneyNow } from "./money/moneyNow.ts";
import { showPayment } from "./money/payment.ts";
import { showReports } from "./money/reports.ts";
import { showDelivery } from "./operations/delivery.ts";
import { showResend } from "./operations/resend.ts";
import { showOverview } from "./overview.ts";
import type { FormRoute, PageRoute } from "./page/page.ts";
import { showUser } from "./people/user.ts";
import { showUserHistory } from "./people/userHistory.ts";
import { findUser } from "./people/users.ts";
import { findAnything, showSearch } from "./search.ts";

/** The pages of the nouns, some with a body of their own for their pictures, and those of no noun. */
export const pageRoutes: Readonly<Record<string, PageRoute>> = {
  ...deskPages,
  "/operator": { verb: "overview.show", show: showOverview },
  "/operator/search": { verb: "search.run", show: showSearch },
  "/operator/users/:id": { verb: "users.show", show: showUser },
  "/operator/users/:id/history": { verb: "users.show", show: showUserHistory },
  "/operator/payments/:id": { verb: "payments.show", show: showPayment },
  "/operator/delays/:id": { verb: "delays.show", show: showDelay },
  "/operator/money": { verb: "treasury.show", show: showMoneyNow },
  "/operator/roles": { verb: "overview.show", show: showRoles },
  "/operator/reports": { verb: "books.show", show: showReports },
  "/operator/deliveries/resend": { verb: "deliveries.preview", show: showResend },
  "/operator/deliveries/:id": { verb: "deliveries.show", show: showDelivery },
};

export const formRoutes: Readonly<Record<string, FormRoute>> = {
  ...deskForms,
  "/operator/search": { verb: "search.run", act: findAnything },
  "/operator/users/find": { verb: "users.list", act: findUser },
};
