/** The reasons that a person may give for a dispute. */

/** Every reason for a dispute, as clients know it, with its label. */
export const disputeReasons = {
  purchase_cancelled_but_no_refund_received: "Purchase cancelled but no refund received",
  // Clients send it with this last character.
  problem_with_the_product_chargeback_: "Problem with the product",
  problem_with_service_subscription_chargeback: "Problem with a service or subscription",
  wrong_installment_number: "Wrong number of instalments",
  wrong_value: "Wrong value",
  charged_more_than_once: "Charged more than once",
  unrecognized_transaction_report_fraudulent: "Unrecognised transaction: report it as fraudulent",
} as const;
export type DisputeReason = keyof typeof disputeReasons;

/** The reasons, in the order of the table. */
export const disputeReasonKeys = Object.keys(disputeReasons) as [DisputeReason, ...DisputeReason[]];
