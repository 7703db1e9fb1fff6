/** Every page and form of the operator, each with its verb: roles are checked by it before the page runs. */
import { approve, reject, showApprovals } from "./access/approvals.ts";
import { deskForms, deskPages } from "./desk.ts";
import { replayOne, showDelivery } from "./operations/delivery.ts";
import { showDelay } from "./money/delays.ts";
import { showOverview } from "./overview.ts";
import type { FormRoute, PageRoute } from "./page/page.ts";
import { showPartner } from "./access/partner.ts";
import {
  changePartnerEndpoint,
  disablePartner,
  enablePartner,
  enablePartnerWebhook,
  rotateKey,
} from "./access/partnerActions.ts";
import { showPartners } from "./access/partners.ts";
import { showMoneyNow } from "./money/moneyNow.ts";
import { replaySpan, showResend } from "./operations/resend.ts";
import { findAnything, showSearch } from "./search.ts";
import { runExport, showExports } from "./money/exports.ts";
import { showReports } from "./money/reports.ts";
import { showPayment } from "./money/payment.ts";
import { askRefund, disputeFor, refund, release, writeOff } from "./money/paymentActions.ts";
import { activateRule, deactivateRule, shadowRule, showRule, submitDeletion, submitDraft } from "./money/rule.ts";
import { showRules, submitRule } from "./money/rules.ts";
import { showUser } from "./people/user.ts";
import {
  activate,
  changeContact,
  changeRisk,
  deactivate,
  endTokens,
  erase,
  hold,
  release as releaseHold,
  withdrawContact,
} from "./people/userActions.ts";
import { exportData } from "./people/userExport.ts";
import { showUserHistory } from "./people/userHistory.ts";
import { findUser } from "./people/users.ts";

export const pageRoutes: Readonly<Record<string, PageRoute>> = {
  ...deskPages,
  "/operator": { verb: "overview.show", show: showOverview },
  "/operator/search": { verb: "search.run", show: showSearch },
  "/operator/users/:id": { verb: "users.show", show: showUser },
  "/operator/users/:id/history": { verb: "users.show", show: showUserHistory },
  "/operator/payments/:id": { verb: "payments.show", show: showPayment },
  "/operator/rules": { verb: "rules.list", show: showRules },
  "/operator/rules/:id": { verb: "rules.show", show: showRule },
  "/operator/delays/:id": { verb: "delays.show", show: showDelay },
  "/operator/money": { verb: "treasury.show", show: showMoneyNow },
  "/operator/reports": { verb: "books.show", show: showReports },
  "/operator/exports": { verb: "exports.list", show: showExports },
  "/operator/partners": { verb: "partners.list", show: showPartners },
  "/operator/partners/:id": { verb: "partners.show", show: showPartner },
  "/operator/deliveries/resend": { verb: "deliveries.preview", show: showResend },
  "/operator/deliveries/:id": { verb: "deliveries.show", show: showDelivery },
  "/operator/approvals": { verb: "approvals.list", show: showApprovals },
};

export const formRoutes: Readonly<Record<string, FormRoute>> = {
  ...deskForms,
  "/operator/search": { verb: "search.run", act: findAnything },
  "/operator/users/find": { verb: "users.list", act: findUser },
  "/operator/users/:id/deactivate": { verb: "users.deactivate", act: deactivate },
  "/operator/users/:id/activate": { verb: "users.activate", act: activate },
  "/operator/users/:id/end-access": { verb: "users.end-access", act: endTokens },
  "/operator/users/:id/risk": { verb: "users.risk", act: changeRisk },
  "/operator/users/:id/change-contact": { verb: "users.change-contact", act: changeContact },
  "/operator/users/:id/withdraw-contact": { verb: "users.withdraw-contact", act: withdrawContact },
  "/operator/users/:id/export": { verb: "users.export", act: exportData },
  "/operator/users/:id/hold": { verb: "users.hold", act: hold },
  "/operator/users/:id/release": { verb: "users.release", act: releaseHold },
  "/operator/users/:id/erase": { verb: "users.erase", act: erase },
  "/operator/partners/:id/disable": { verb: "partners.disable", act: disablePartner },
  "/operator/partners/:id/enable": { verb: "partners.enable", act: enablePartner },
  "/operator/partners/:id/enable-webhook": { verb: "webhooks.enable", act: enablePartnerWebhook },
  "/operator/partners/:id/change": { verb: "partners.change", act: changePartnerEndpoint },
  "/operator/partners/:id/rotate": { verb: "partners.rotate", act: rotateKey },
  "/operator/deliveries/replay": { verb: "deliveries.resend", act: replaySpan },
  "/operator/deliveries/:id/replay": { verb: "deliveries.resend", act: replayOne },
  "/operator/payments/:id/refund": { verb: "payments.refund", act: refund },
  "/operator/payments/:id/dispute": { verb: "payments.dispute", act: disputeFor },
  "/operator/payments/:id/request-refund": { verb: "payments.request-refund", act: askRefund },
  "/operator/payments/:id/release": { verb: "holds.release", act: release },
  "/operator/payments/:id/write-off": { verb: "debts.write-off", act: writeOff },
  "/operator/exports/:id/run": { verb: "exports.run", act: runExport },
  "/operator/rules": { verb: "rules.create", act: submitRule },
  "/operator/rules/:id/draft": { verb: "rules.draft", act: submitDraft },
  "/operator/rules/:id/activate": { verb: "rules.activate", act: activateRule },
  "/operator/rules/:id/shadow": { verb: "rules.shadow", act: shadowRule },
  "/operator/rules/:id/delete": { verb: "rules.delete", act: submitDeletion },
  "/operator/rules/:id/deactivate": { verb: "rules.deactivate", act: deactivateRule },
  "/operator/approvals/:id/approve": { verb: "approvals.approve", act: approve },
  "/operator/approvals/:id/reject": { verb: "approvals.reject", act: reject },
};
