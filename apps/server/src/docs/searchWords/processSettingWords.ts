/** Of the settings of processes, database, keys and chain. */
export const processSettingWords: Readonly<Record<string, string>> = {
  "/docs/settings#setting-NODE_ENV": "production mode development environment staging",
  "/docs/settings#setting-ALLOW_DEVELOPMENT_KEYS":
    "insecure default keys test on a remote machine shared dev server refuses to start",
  "/docs/settings#setting-PORT": "firewall port listen http already in use which port",
  "/docs/settings#setting-WORKER_PORT": "worker health metrics port scrape liveness probe",
  "/docs/settings#setting-DRAIN_SECONDS":
    "graceful shutdown rolling restart SIGTERM load balancer deregistration preStop",
  "/docs/settings#setting-SANDBOX_PORT": "mock port console address already in use",
  "/docs/settings#setting-ELEMENTS_PORT": "card element iframe port local",
  "/docs/settings#setting-CHAIN_PORT": "anvil local blockchain 8545 port",
  "/docs/settings#setting-POSTGRES_PORT": "local database port 5432 conflict",
  "/docs/settings#setting-CARDKEEP_HOME":
    "data folder location where is the local data stored reset delete wipe start from scratch directory",
  "/docs/settings#setting-RPC_URL":
    "blockchain node provider infura alchemy quicknode ankr change second node fallback endpoint gnosis backup node",
  "/docs/settings#setting-RPC_TIMEOUT_MS":
    "slow node latency timeout 503 how long server waits for the blockchain provider",
  "/docs/settings#setting-PUBLIC_URL": "domain base address https own url host name",
  "/docs/settings#setting-TRUSTED_PROXIES":
    "nginx reverse proxy load balancer client IP address cloudflare ingress all users share one quota real ip",
  "/docs/settings#setting-OPERATOR_API_KEY":
    "turn off operator pages shared key break glass admin password console disabled protect metrics",
  "/docs/settings#setting-OTEL_EXPORTER_OTLP_ENDPOINT":
    "tracing jaeger tempo honeycomb datadog spans collector send traces",
  "/docs/settings#setting-LOG_LEVEL": "debug verbose logging quiet noisy logs trace info",
  "/docs/settings#setting-DATABASE_URL":
    "database password changed credentials connection string postgres host own external managed RDS ssl sslmode",
  "/docs/settings#setting-DATABASE_SESSION_URL": "pgbouncer bypass direct connection listen notify advisory",
  "/docs/settings#setting-DATABASE_READ_URL": "read replica reports offload reads second database",
  "/docs/settings#setting-DATABASE_CONNECTIONS":
    "connection pool size too many connections limit raise max_connections exhausted",
  "/docs/settings#setting-DATABASE_SERVICE_ROLE":
    "least privilege database user grants permissions role separate owner",
  "/docs/settings#setting-SERVICE_DATABASE_URL": "local start with a restricted role",
  "/docs/settings#setting-SANDBOX_DATABASE_URL": "separate database of the sandbox partners",
  "/docs/settings#setting-ACCESS_TOKEN_KEYS": "jwt signing key login tokens rotate invalidate all sessions P-256 ES256",
  "/docs/settings#setting-WEBHOOK_SIGNING_KEYS": "ed25519 sign outgoing webhooks private key",
  "/docs/settings#setting-WEBHOOK_PUBLIC_KEYS": "publish public halves of webhook keys jwks server",
  "/docs/settings#setting-SECRETS_KEYS":
    "encryption at rest data encryption key encrypt secrets in the database AES master key",
  "/docs/settings#setting-RELAYER_PRIVATE_KEYS":
    "hot wallet keys that pay gas sender accounts more throughput add another relayer",
  "/docs/settings#setting-RELAYER_SIGNERS": "relayer keys in aws kms web3signer hsm",
  "/docs/settings#setting-RELAYER_ADDRESSES": "public addresses of relayers for the server",
  "/docs/settings#setting-OPERATOR_PRIVATE_KEY": "key that deploys safes set-up deployer",
  "/docs/settings#setting-OPERATOR_SIGNER": "deployer key in kms hsm web3signer",
  "/docs/settings#setting-OPERATOR_ADDRESS": "deployer public address",
  "/docs/settings#setting-SPENDER_PRIVATE_KEY": "key that takes card money from safes spending role",
  "/docs/settings#setting-SPENDER_SIGNER": "spending key in kms hsm web3signer",
  "/docs/settings#setting-SPENDER_ADDRESS": "spending key public address",
  "/docs/settings#setting-FORMER_OPERATOR_PRIVATE_KEYS": "old deployer key after rotation",
  "/docs/settings#setting-FORMER_OPERATOR_SIGNERS": "old deployer signer after rotation",
  "/docs/settings#setting-FORMER_OPERATOR_ADDRESSES": "old deployer addresses after rotation",
  "/docs/settings#setting-FORMER_SPENDER_PRIVATE_KEYS": "old spending key after rotation existing accounts",
  "/docs/settings#setting-FORMER_SPENDER_SIGNERS": "old spending signer after rotation",
  "/docs/settings#setting-FORMER_SPENDER_ADDRESSES": "old spending addresses after rotation",
  "/docs/settings#setting-TOP_UP_PRIVATE_KEY": "automatic gas refill wallet fund relayers automatically",
  "/docs/settings#setting-TOP_UP_SIGNER": "refill wallet in kms hsm",
  "/docs/settings#setting-TOP_UP_ADDRESS": "refill wallet address monitor its balance",
  "/docs/settings#setting-TOP_UP_BELOW": "threshold at which gas is refilled minimum xdai low water mark",
  "/docs/settings#setting-TOP_UP_TO": "how much gas after a refill target amount xdai",
  "/docs/settings#setting-TOP_UP_PER_DAY_MAX": "daily cap of gas refills limit spending drain protection",
  "/docs/settings#setting-CHAIN_ID": "which network mainnet gnosis 100 testnet chiado polygon other chain",
  "/docs/settings#setting-CONFIRMATIONS": "finality blocks wait reorg safety how many confirmations",
  "/docs/settings#setting-ENS_RPC_URL": "ens name on the card ethereum mainnet node embossed",
  "/docs/settings#setting-COOLDOWN_SECONDS":
    "three minute delay of a withdrawal waiting time shorter longer 180 timelock duration",
  "/docs/settings#setting-EXPIRATION_SECONDS": "how long a delayed operation may be executed before it expires window",
  "/docs/settings#setting-CONTRACT_CODE": "own deployed contracts verify bytecode other chain",
  "/docs/settings#setting-ALLOWED_CALLS":
    "let users do defi from the safe swap stake whitelist contract call custom transaction",
  "/docs/settings#setting-TRANSACTION_DATA_FORMAT": "hex or json calldata in lists",
};
