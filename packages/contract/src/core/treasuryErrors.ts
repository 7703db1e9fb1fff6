/** The errors of the treasury, which operators alone meet. */
export const treasuryErrors = {
  "treasury.stopped": { status: 503, text: "Moves of the treasury are stopped for the moment" },
  "treasury.not_found": { status: 404, text: "There is no such move, destination, item or entry of the treasury" },
  "treasury.amount": { status: 422, text: "The amount must be above zero, with no more decimals than the money has" },
  "treasury.float": { status: 409, text: "So much cannot leave: the float for refunds and credits stays" },
  "treasury.funds": { status: 409, text: "The account that pays holds less than this" },
  "treasury.no_way_out": {
    status: 409,
    text: "No e-money institution redeems this token: its only way out is on chain",
  },
  "treasury.not_allowed": { status: 403, text: "The destination is not on the allow-list, or does not count yet" },
  "treasury.known": { status: 409, text: "The destination is on the allow-list already" },
  "treasury.document": {
    status: 422,
    text: "From 15,000 on a redeem needs its supporting document: give its id as `document`",
  },
  "treasury.busy": { status: 409, text: "A move of this kind is under way. Wait until it has ended" },
  "treasury.item_open": {
    status: 409,
    text: "The settlement account lacks money: explain the item of it first",
  },
  "treasury.ended": { status: 409, text: "It has ended already" },
} as const;
