/** The errors of card orders and coupons. */
export const orderErrors = {
  "orders.unknown_source": { status: 400, text: "Error: Unknown personalization source", style: "bare" },
  "orders.kyc_required": { status: 400, text: "Error: User is not approved through KYC", style: "bare" },
  "orders.pending": { status: 400, text: "Error: There is already a pending card order", style: "bare" },
  "orders.wrong_country": {
    status: 400,
    text: "Error: Shipping needs to be done to the user's country",
    style: "bare",
  },
  "orders.stopped": { status: 503, text: "New cards are stopped for the moment. Please try again later" },
  "orders.ens_unavailable": { status: 422, text: "ENSName cannot be used here: no ENS node is configured" },
  "orders.ens_elsewhere": { status: 422, text: "ENSName does not resolve to one of your wallets" },
  "orders.not_found": { status: 404, text: "Card order not found." },
  "orders.wrong_status": { status: 400, text: "Card Order is not in the correct status" },
  "orders.no_transaction": { status: 400, text: "No transaction hash found for this order." },
  "orders.no_payment": { status: 400, text: "Could not find payment in transaction hash." },
  "orders.transaction_used": { status: 400, text: "Transaction hash was already used" },

  "coupons.invalid": { status: 422, text: "Coupon code is invalid." },
  "coupons.already_used": { status: 422, text: "Coupon code was already used." },
  "coupons.invalid_discount": { status: 422, text: "A coupon has either a percentage or an amount" },
  "coupons.not_found": { status: 404, text: "There is no such coupon" },
  "coupons.taken": { status: 409, text: "A coupon with this code exists" },
} as const;
