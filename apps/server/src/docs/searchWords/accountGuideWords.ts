/** Of the guides about the first steps, the account on chain, its keys and withdrawals. */
export const accountGuideWords: Readonly<Record<string, string>> = {
  "/docs/guides/quick-start":
    "hello world getting started tutorial, beginner first steps, TypeScript JavaScript example, local development without Docker, demo try it out evaluate, tRPC client example, which version of Bun or Node.js is needed requirements, proof of concept, onboarding of a new developer, javascript typescript types, minimal example, how long to integrate, architecture of an app, node or bun",
  "/docs/guides/quick-start#start-the-service":
    "install run locally on my laptop, clone repository set up my machine, npm package npx, windows mac linux, which command starts everything, address of the console, get test tokens faucet local development, port 3000, stop and reset the local service, error at first start, requirements of my laptop, run without internet offline, spin up a demo instance, set up the project on my computer, do I need docker",
  "/docs/guides/quick-start#sign-in-and-sign-up":
    "create the first user in code, register account login with a script, wallet key viem SIWE example",
  "/docs/guides/quick-start#verify-the-person":
    "pass KYC in code, accept terms phone code source of funds, what is needed before a card prerequisites checklist, onboarding steps order of steps, when may a person have a card, requirements to open an account, what do I need to sign up documents, which steps before a card, order of onboarding calls, accept terms api, source of funds questionnaire api",
  "/docs/guides/quick-start#get-a-safe-money-and-a-card":
    "deposit top up the account, where to send tokens address, load balance add crypto, fund from crypto wallet transfer USDC EURe stablecoin, create virtual card",
  "/docs/guides/quick-start#pay": "first purchase test payment in code, simulate a shop authorization, end to end",
  "/docs/guides/quick-start#a-person-for-the-other-guides":
    "ready made user with IBAN and card, seed private key, environment variables TOKEN CARD_ID for the samples",
  "/docs/guides/quick-start#amounts-dates-and-addresses":
    "format of amounts in the API, wei decimals base units minor units cents, why is the balance so large 18 zeros, convert amount to euros precision rounding, timestamp date format UTC ISO 8601, checksum address lowercase, decimals of EURe USDC token, BigInt amounts json string number overflow, parse amount, cents or wei, show money in the interface",
  "/docs/guides/quick-start#next":
    "SDK for Python Java PHP iOS, OpenAPI Swagger Postman schema file, client library, where to read on learn more",
  "/docs/guides/accounts-and-keys":
    "where is the money who holds it, self-custody custody non-custodial, which blockchain network chain, architecture overview how does it work, trust model security model, what is a Safe, multisig smart wallet, difference between bank account and wallet",
  "/docs/guides/accounts-and-keys#what-is-deployed":
    "contracts modules Delay Roles Bouncer zodiac, contract addresses deployed for each person, smart contract audit, block explorer etherscan gnosisscan verify on chain, who deploys the wallet, threshold version of the contract, safe address of a customer, two safes for one user",
  "/docs/guides/accounts-and-keys#who-can-do-what":
    "can the company freeze or take someone's money, is it safe can you steal my funds, what happens to people's money if we shut down, company goes bankrupt insolvency, firm disappears, what can an attacker do if the server is hacked, which key can do what table of keys, admin key backdoor, control seize permissions of operator, can you move my funds, worst case if you are hacked, rights of the service, is it custodial, rug pull, difference between owner and sign-in wallet relayer spender, what is a relayer spender partner key, who holds the private keys",
  "/docs/guides/accounts-and-keys#owners":
    "add second owner, remove change replace owner key, hardware wallet ledger trezor, replace signer new wallet, joint account two people share spouse couple family, shared account multisig guardian, transfer ownership, let a partner sign too, business with two signers, recover with a second wallet, add a backup wallet, smart wallet ERC-1271 as owner",
  "/docs/guides/accounts-and-keys#the-daily-limit":
    "raise increase lower change the spending limit, how much can I spend per day, maximum large purchase expensive, when does the limit reset midnight, remaining allowance today, ceiling 350 8000, higher limit for one day, buy a car, pay more than the limit, limits for new users tiers, why 350, maximum per month",
  "/docs/guides/accounts-and-keys#is-the-account-whole":
    "tampered account integrity modified module, account hacked compromised check, accountStatus 7 meaning, misconfigured account",
  "/docs/guides/accounts-and-keys#lost-keys":
    "phone was stolen who can take my money, lost device gone, lost seed phrase private key mnemonic recovery, forgot password recover access, locked out of the wallet, social recovery, wallet compromised thief hacked key, metamask deleted new phone, forgot seed, hardware wallet broken, inherit keys, can support restore my wallet, what if the user loses the wallet, stolen key what now, new laptop how do I get my account back",
  "/docs/guides/sign-in":
    "connect wallet metamask walletconnect rabby, login passkey password username, log in authentication flow, how do users authenticate, social login google apple, account without a wallet embedded wallet privy magic, biometric face id, wallet connect button, sign in without metamask",
  "/docs/guides/sign-in#the-message":
    "SIWE message format nonce domain, what does the user sign at login, personal_sign wagmi ethers viem, signature rejected invalid login fails, smart wallet ERC-1271 account abstraction multisig login, mobile wallet, user rejects cancels the signature request",
  "/docs/guides/sign-in#the-token":
    "authorization header bearer JWT, how long is the login valid lifetime expires, session duration log out automatically, refresh token renew silently, keep the user signed in stay logged in remember, verify the jwt in my backend public key jwks, claims decode token, access token only lasts one hour, 401 after a while, token expired in the middle of a session, store the token localStorage security, single logout",
  "/docs/guides/sign-in#sign-up":
    "code did not arrive resend code again, verification mail not received spam, confirm the address OTP one-time password, register new customer join, wrong e-mail, partner id, registration endpoint, code too often wrong locked, email already used, invitation code, onboarding API, skip the email",
  "/docs/guides/sign-in#more-wallets":
    "second device new phone, link connect several wallets, add unlink another wallet, switch replace the wallet with which someone logs in, change login address, customer forgot which wallet he registered with",
  "/docs/guides/sign-in#from-a-browser-cors":
    "allowed origins blocked by CORS policy, access-control-allow-origin preflight OPTIONS, cookie csrf, single page app web app react vue next.js fetch fails, domain whitelist frontend, network error in the browser",
  "/docs/guides/typed-data":
    "EIP-712 signTypedData, what am I signing wallet shows, ledger blind signing structured data, gasless meta transaction relay, who pays the fee of a withdrawal what does it cost the user",
  "/docs/guides/typed-data#the-three-steps":
    "endpoint for the data to sign, submit signature flow, who pays the gas no gas for the user sponsor, eth_signTypedData_v4 payload",
  "/docs/guides/typed-data#read-what-is-signed":
    "decode calldata verify before signing, phishing protection show human readable details, trustless check the payload",
  "/docs/guides/typed-data#rules":
    "signature invalid EIP712Domain missing, replay protection salt twice, contract wallet ERC-1271 smartWalletAddress, signTypedData_v4 returns wrong signature, ethers v6 TypedDataEncoder, EIP712Domain, safe wallet signature",
  "/docs/guides/withdrawals":
    "send money to another person friend peer to peer, pay out cash, take my money out get my funds back, transfer to exchange binance kraken coinbase, move crypto to my own wallet, off-ramp, three minutes waiting, what do I have to sign, withdraw minimum fee, why do I have to wait three minutes, move everything out, empty the account, send USDC out, transfer between users internal transfer, fee of a withdrawal free, maximum I can withdraw",
  "/docs/guides/withdrawals#ask-sign-submit":
    "create a withdrawal in code, amount destination address recipient, transfer request api call example, send EURe native token xDAI",
  "/docs/guides/withdrawals#follow-it":
    "status of a withdrawal stuck pending, track progress countdown, how long until it arrives, what to show in the app, transaction hash, withdrawal completed finished, delayed slow, progress bar states, when does it count as done, time left",
  "/docs/guides/withdrawals#the-queue":
    "cancel stop undo a withdrawal, skip abort, several at once order of withdrawals wait behind, card declined while a withdrawal is open, expired operation, cancel delayed transaction, replace a wrong withdrawal, many withdrawals at once, stuck behind a failed one",
  "/docs/guides/withdrawals#what-can-fail":
    "withdrawal failed why error rejected, sent to the wrong address typo, contract address refused, too many withdrawals limit per hour",
};
