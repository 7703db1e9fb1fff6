#!/usr/bin/env bash
# The first journey: sign in, sign up, pass KYC, get a Safe, receive money, withdraw it through the delay.
# Start the service first (`bun start`), then: bash tests/journey/journey.sh
# Runs in bash and zsh. Needs curl, and Node or Bun to sign. Each run makes a new person.
set -eu -o pipefail
HERE=$(dirname "$0")
run_bun() { if command -v bun >/dev/null; then bun "$@"; else npx -y bun@1.4.5 "$@"; fi; }

# API and SANDBOX name an installation. Without them, `cardkeep where` finds the one that runs in this folder; it is never guessed.
if [ -z "${API:-}" ] || [ -z "${SANDBOX:-}" ]; then
  PLACE=$(run_bun "$HERE/../../apps/cli/src/main.ts" where --json)
  case $PLACE in *'"service": "guessed"'* | *'"sandbox": "guessed"'*)
    echo "No start runs from this folder. Run \`bun start\` first, or set API and SANDBOX." >&2
    exit 1 ;;
  esac
  API="${API:-$(printf '%s' "$PLACE" | grep '^  "service"' | cut -d '"' -f 4)/api/v1}"
  SANDBOX="${SANDBOX:-$(printf '%s' "$PLACE" | grep '^  "sandbox"' | cut -d '"' -f 4)}"
fi
# The address of the service is enough.
API="${API%/}"
case $API in */api/v1) ;; *) API="${API}/api/v1" ;; esac
cd "$HERE"
EURE=0xcB444e90D8198415266c6a2724b7900fb12FC56E
TO=0x000000000000000000000000000000000000bEEF
AMOUNT=2000000000000000000
TOKEN=""

# wallet.mjs makes the key, signs, and reads fields of JSON answers.
wallet() { "$(command -v node || command -v bun)" wallet.mjs "$@"; }
call() { curl -sS --fail-with-body -w "\n" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" "$@"; }
step() { printf '\n%s\n' "$1" >&2; }
# Repeats a GET every second until its answer contains a text; gives up after a minute.
wait_for() {
  tries=60
  until call "$2" | grep "$1" >/dev/null; do
    tries=$((tries - 1))
    if [ "$tries" = 0 ]; then echo "No $1 from $2 after 60 s. See the worker's log." >&2; exit 1; fi
    sleep 1
  done
}

step "1. Sign in: fetch a nonce, sign an EIP-4361 message, receive a token. Then sign up, and accept the terms."
KEY=$(wallet key)
export KEY
TOKEN=$(wallet sign-in "$(call $API/auth/nonce)" | call $API/auth/challenge -d @- | wallet field token)
SIGNED_UP=$(call $API/auth/signup -d "{\"authEmail\":\"$(wallet email)\"}")
TOKEN=$(printf '%s' "$SIGNED_UP" | wallet field token)
USER_ID=$(printf '%s' "$SIGNED_UP" | wallet field id)
# Every document in its current version, as the list names it.
call $API/user/terms | grep -o '"type":"[^"]*","currentVersion":"[^"]*"' | while IFS='"' read -r _ _ _ TYPE _ _ _ VERSION _; do
  call $API/user/terms -d "{\"terms\":\"$TYPE\",\"version\":\"$VERSION\"}"
done

step "2. Identity verification: a person opens this link. Here the sandbox approves at once."
call $API/kyc/integration
call "$SANDBOX/kyc/$USER_ID/review" -d '{"outcome":"approved"}'

step "3. Safe: the request is accepted at once, the worker deploys and sets up the Safe in seconds."
call -X POST $API/safe/deploy
wait_for '"ok"' $API/safe/deploy
SAFE=$(call $API/safe/config | wallet field address)

step "4. Deposit 5 EURe into $SAFE."
call $SANDBOX/chain/faucet -d "{\"address\":\"$SAFE\",\"token\":\"EURe\",\"amount\":\"5000000000000000000\"}"

step "5. Withdraw 2 EURe: fetch the typed data, sign it, submit it."
TYPED=$(call "$API/accounts/withdraw/transaction-data?amount=$AMOUNT&to=$TO&tokenAddress=$EURE")
wallet sign-withdrawal "$TYPED" $AMOUNT $TO $EURE | call $API/accounts/withdraw -d @-
wait_for WAITING $API/delay-relay

step "6. The delay is 3 minutes. The sandbox advances chain and service by 181 s."
call $SANDBOX/chain/advance -d '{"seconds":181}'
wait_for EXECUTED $API/delay-relay

step "7. Balances after the withdrawal:"
call $API/account-balances
