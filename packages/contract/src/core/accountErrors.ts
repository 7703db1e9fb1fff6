/** The errors of Safes, of their delayed operations, and of their owners. */
export const accountErrors = {
  "safes.not_found": { status: 404, text: "Couldn't find associated Safe for the user", style: "error" },
  "safes.already_exists": { status: 422, text: "Safe account already exists" },
  "safes.set_up_older": {
    status: 422,
    text: "Safe account already exists and holds money: set it up with PATCH /api/v1/account/deploy-safe-modules",
  },
  "safes.kyc_required": { status: 422, text: "User needs to complete KYC successfully" },
  "safes.signer_required": {
    status: 403,
    text: "The access token carries no signer address",
    occasion: "Reserved: every access token of a wallet carries its address",
  },
  "safes.key_required": {
    status: 400,
    text: "A contract wallet cannot own the Safe here: use POST /api/v1/safe/deploy",
  },
  "safes.not_deployed": { status: 400, text: "The Safe is not deployed yet" },
  "safes.currency_missing": { status: 400, text: "The Safe has no currency set" },
  "safes.already_set_up": { status: 400, text: "Safe modules are already deployed" },
  "safes.already_used": {
    status: 400,
    text: "The Safe was used before its set-up and cannot be set up: reset it and begin again",
  },
  "safes.invalid_signature": { status: 400, text: "Invalid signature" },
  "safes.set_up_failed": { status: 400, text: "The set-up failed on chain: get the payload and sign it again" },
  "safes.reset_in_service": { status: 422, text: "Cannot reset Safe account: it is in service." },
  "safes.reset_under_way": { status: 422, text: "Cannot reset Safe account: its deployment is under way." },
  "safes.reset_queued": { status: 422, text: "Cannot reset Safe account: it has open operations." },
  "safes.reset_balance": {
    status: 422,
    text: "Cannot reset Safe account: it holds a balance. Please withdraw it first.",
  },
  "safes.reset_cards": {
    status: 422,
    text: "Cannot reset Safe account: active card exists. Please cancel your card first.",
  },
  "safes.unknown_migration": { status: 400, text: "Unknown migration" },

  "delays.message_mismatch": { status: 422, text: "Signed message does not match the request" },
  "delays.invalid_signature": { status: 422, text: "Invalid signature" },
  "delays.signer_leaving": {
    status: 422,
    text: "Invalid signature",
    occasion: "The removal of the signer as owner is queued",
  },
  "delays.already_submitted": { status: 409, text: "This signed message was already submitted" },
  "delays.refused": { status: 422, text: "The account refuses this operation" },
  "delays.not_found": { status: 404, text: "There is no such operation" },
  "delays.quota_exceeded": { status: 429, text: "Too many requests", style: "error" },

  "owners.already_owner": { status: 422, text: "This address is already an owner" },
  "owners.unsuitable": { status: 422, text: "This address cannot be an owner" },
  "owners.not_owner": { status: 422, text: "This address is not an owner" },
  "owners.last": { status: 422, text: "The last owner cannot be removed" },
  "owners.change_open": { status: 409, text: "Another owner change is in progress" },
} as const;
