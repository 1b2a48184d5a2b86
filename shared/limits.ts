/**
 * Limits and defaults that the services, the clients or the tests must agree on, each with the reason for its value.
 */

/** Wall-clock limit of one execution: long enough for a slow RPC, and short enough that a hang is noticed. */
export const EXECUTION_WALL_MS = 120_000

/**
 * Upper bound of the operator's setting for the wall-clock limit. Leases and polling are not designed for longer
 * executions.
 */
export const EXECUTION_WALL_MAX_MS = 900_000

/**
 * CPU limit of one execution: a quarter of the wall-clock limit. Waiting may take the rest, but mining must not be
 * worthwhile.
 */
export const EXECUTION_CPU_MS = 30_000

/**
 * Size of one action's linear memory (WebAssembly), in bytes. It is fixed, because the engine's own limit does not
 * bound the memory's growth.
 */
export const ACTION_MEMORY_BYTES = 64 * 1024 * 1024

/** Maximum size of an action's source in the core API. */
export const SOURCE_MAX_BYTES = 16 * 1024 * 1024

/** Maximum size of an execution's `js_params`, as JSON text. */
export const PARAMS_MAX_BYTES = 8 * 1024 * 1024

/** Maximum size of an action's return value, as JSON text. */
export const RESULT_MAX_BYTES = 1024 * 1024

/**
 * Maximum nesting depth of untrusted JSON. `JSON.stringify` is recursive, and a value that it cannot serialize cannot
 * be stored.
 */
export const JSON_DEPTH_MAX = 512

/**
 * Maximum nesting depth of a request body with params: deeper than real data, and small enough to track while scanning.
 */
export const BODY_DEPTH_MAX = 8_192

/** Maximum console output stored per execution, in bytes. The rest is truncated, and a note is added. */
export const LOGS_MAX_BYTES = 100 * 1024

/** Maximum number of operations with wallet or action keys per execution. */
export const KEY_OPERATIONS_MAX = 10

/**
 * Maximum modulus of an RSA key in `crypto.subtle`, in bits. A signature operation cannot be interrupted, and takes 33
 * ms at this size.
 */
export const RSA_KEY_MAX_BITS = 8192

/** Maximum outbound requests per execution. Each followed redirect counts as a request. */
export const OUTBOUND_REQUESTS_MAX = 50

/** Maximum size of one outbound response, after decompression. */
export const OUTBOUND_RESPONSE_MAX_BYTES = 1_000_000

/**
 * Maximum body of one outbound request, in bytes: the same as for a response. The largest transaction that a chain
 * accepts has 128 KiB.
 */
export const OUTBOUND_BODY_MAX_BYTES = 1_000_000

/** Maximum length of an outbound request's URL: the length that common servers accept in a request line. */
export const OUTBOUND_URL_MAX_CHARACTERS = 8192

/** Maximum redirects followed per outbound request (Fetch standard, HTTP-redirect fetch). */
export const OUTBOUND_REDIRECTS_MAX = 20

/**
 * Maximum message for `Svc.Actions.encrypt`, in bytes of UTF-8. It is meant for keys and documents, not files, because
 * messages cross two process boundaries.
 */
export const ENCRYPTED_MESSAGE_MAX_BYTES = 64 * 1024

/**
 * Length of the largest message's ciphertext in base64. A ciphertext is 45 bytes longer than its message
 * (`origin/keys/wallet-cipher.ts`).
 */
export const CIPHERTEXT_MAX_CHARACTERS = 4 * Math.ceil((ENCRYPTED_MESSAGE_MAX_BYTES + 45) / 3)

/**
 * Maximum body of a core API request without source, in bytes. The largest such request contains a hundred IDs and a
 * description. The limit also bounds how much JSON a client without a key can have parsed free of charge.
 */
export const OPERATION_BODY_MAX_BYTES = 64 * 1024

/**
 * Maximum size of a payment processor's event. Typical events take a few KiB, and some tens of KiB with all
 * customer-supplied fields.
 */
export const PROCESSOR_EVENT_MAX_BYTES = 1024 * 1024

/** Maximum body of a request with source: the largest source and params, plus JSON overhead. */
export const CORE_BODY_MAX_BYTES = 32 * 1024 * 1024

/** Time limit for a body to arrive, at the edge and at the origin. Slow senders occupy memory. */
export const BODY_WITHIN_MS = 60_000

/**
 * Minimum progress, per interval, of a body over 64 KiB at the origin: 16 KiB/s, a third of a 3G uplink. The memory for
 * a stalled body is released after at most two intervals.
 */
export const BODY_STALL_MS = 10_000
export const BODY_STALL_BYTES = 160 * 1024

/**
 * A body is rejected if it arrives in more than `BODY_SMALL_PIECES_MAX` chunks that average less than
 * `BODY_PIECE_MIN_BYTES`. Node's parser spends 2.5 µs of the main thread per chunk. TLS records and TCP segments are
 * larger. An encoder that writes one chunk per JSON token can send about 6 KB before its body is rejected.
 */
export const BODY_SMALL_PIECES_MAX = 1_024
export const BODY_PIECE_MIN_BYTES = 32

/**
 * Memory for bodies over 64 KiB that are still arriving: one pool for senders without a verified key, and one for
 * accounts and the edge. Each client network or account may use at most its share, which is four bodies of the largest
 * size.
 */
export const KEYLESS_BODIES_BYTES = 256 * 1024 * 1024
export const ARRIVING_BODIES_BYTES = 512 * 1024 * 1024
export const ARRIVING_BODIES_SHARE_BYTES = 128 * 1024 * 1024

/**
 * Default maximum of open connections per origin process (`SVC_CONNECTIONS_MAX`). Each connection uses 50 KB, plus 64
 * KiB for a small body.
 */
export const CONNECTIONS_MAX = 4_096

/**
 * Maximum free CID computations per minute and client address. The largest source occupies a thread for 0.2 s. A page
 * with a hundred actions requests each CID once.
 */
export const SOURCE_CIDS_PER_MINUTE = 120

/**
 * Maximum number of large sources that clients without a key may queue for the single CID thread. Each source holds its
 * body in memory.
 */
export const SOURCE_CIDS_WAITING_MAX = 4

/** Maximum IDs in one permission array of a usage key or group. */
export const PERMISSION_IDS_MAX = 50

/**
 * Maximum characters in a name. The contract limits bytes instead, and has room for the longest name and description.
 */
export const NAME_MAX_CHARACTERS = 256
/**
 * Maximum characters in a description. Storing 4 KB on the chain costs about 3,000,000 gas, which this deployment pays
 * for one cent.
 */
export const DESCRIPTION_MAX_CHARACTERS = 1024

/**
 * Maximum characters in the description of a new account. Creating an account is free of charge, so the limit is the
 * same as for a name.
 */
export const ACCOUNT_DESCRIPTION_MAX_CHARACTERS = NAME_MAX_CHARACTERS

/**
 * Maximum characters in an account's `email`: 64 for the local part, `@`, and 255 for the domain (RFC 5321, 4.5.3.1).
 */
export const EMAIL_MAX_CHARACTERS = 320

/** Maximum body of a webhook, in bytes. Larger bodies get 413. GitHub's usual payloads are far smaller. */
export const WEBHOOK_BODY_MAX_BYTES = 2 * 1024 * 1024

/** Time limit for a webhook's body to arrive. Senders time out sooner, and slow senders occupy memory. */
export const WEBHOOK_BODY_WITHIN_MS = 30_000

/** Maximum names in `options.pass_headers`. Verifying a sender takes three or four headers. */
export const PASS_HEADERS_MAX = 16

/** Maximum fields of a webhook's form: the default limit of PHP and Express. */
export const FORM_FIELDS_MAX = 1_000

/**
 * Maximum length of a challenge that a handshake echoes. All known senders use shorter challenges, and large inputs
 * must not be reflected.
 */
export const HANDSHAKE_MAX_CHARACTERS = 1024

/** Maximum size of a body part in one storage row. Durable Objects in production reject rows over 2 MB. */
export const BODY_PART_BYTES = 1024 * 1024

/** Maximum size of a trigger's source, which is stored with the trigger in one row. */
export const TRIGGER_SOURCE_MAX_BYTES = 1024 * 1024

/**
 * Maximum body of a request with a trigger: the largest source and params, plus JSON overhead if every byte is escaped.
 */
export const TRIGGER_BODY_MAX_BYTES = 8 * 1024 * 1024

/**
 * Maximum size of a trigger's default params, which every run repeats. Each revision stores them in one row with the
 * source.
 */
export const DEFAULT_PARAMS_MAX_BYTES = 256 * 1024

/**
 * Maximum size of the params that a list of triggers includes, in bytes. Larger params are returned only with the
 * single trigger. This limit keeps a full list below 10 MB.
 */
export const LISTED_PARAMS_MAX_BYTES = 8 * 1024

/** Maximum triggers per account, so that a full list is bounded. */
export const TRIGGERS_MAX = 1_000

/** Number of runs that one trigger may start in any 60 s window: default and upper bound. */
export const MAX_RUNS_PER_MINUTE_DEFAULT = 60
export const MAX_RUNS_PER_MINUTE_BOUND = 6_000

/** Upper bound of `max_queued_runs`. With large bodies, `QUEUED_BYTES_MAX` is reached first. */
export const MAX_QUEUED_RUNS_BOUND = 10_000

/** Default `max_queued_runs` of webhooks. Senders such as GitHub do not redeliver rejected events. */
export const WEBHOOK_QUEUED_RUNS_DEFAULT = MAX_QUEUED_RUNS_BOUND

/**
 * Default `max_queued_runs` of schedules and chain events. A full queue does not lose chain events, because their logs
 * stay on the chain. A schedule that falls behind should not catch up on thousands of ticks.
 */
export const MAX_QUEUED_RUNS_DEFAULT = 100

/** Maximum bytes of queued bodies per trigger. A Durable Object's storage holds 10 GB in production. */
export const QUEUED_BYTES_MAX = 256 * 1024 * 1024

/** Maximum concurrent runs of one trigger: the defaults by kind, and the upper bound. */
export const WEBHOOK_CONCURRENCY = 8
export const SCHEDULE_CONCURRENCY = 1
export const CONCURRENCY_MAX = 64

/** Retention of a trigger's finished runs. Whichever limit is reached first applies. */
export const HISTORY_KEPT_MS = 30 * 24 * 60 * 60 * 1000
export const HISTORY_RUNS_MAX = 10_000
export const HISTORY_BYTES_MAX = 1024 * 1024 * 1024

/** Retention of delivery IDs for deduplication (`options.dedup`). Senders stop retrying sooner. */
export const DELIVERY_KEPT_MS = 24 * 60 * 60 * 1000

/**
 * Maximum length of a delivery ID that is stored verbatim, the same as of an Idempotency-Key. Longer IDs are stored as
 * a hash.
 */
export const DELIVERY_ID_MAX_CHARACTERS = 255

/** Interval of the schedule scanner, and the minimum distance between two ticks of a schedule. */
export const SCAN_INTERVAL_MS = 30_000
export const SCHEDULE_INTERVAL_MIN_MS = 30_000

/** Maximum delay of a single due tick that fires regardless of `options.misfire`: twice the scan interval. */
export const TICK_GRACE_MS = 2 * SCAN_INTERVAL_MS

/**
 * Limits for missed ticks: the age below which `coalesce` fires the latest tick, and the maximum number that `all`
 * fires.
 */
export const MISSED_TICK_MAX_AGE_MS = 60 * 60 * 1000
export const MISSED_TICKS_MAX = 100

/** Maximum of `GET /api/runs/<id>?wait=` in seconds, below the idle timeouts of common proxies. */
export const RUN_WAIT_MAX_S = 30

/**
 * Maximum connections from one Durable Object to the origin. Cloudflare allows six in production, and an alarm needs a
 * free one.
 */
export const ORIGIN_CONNECTIONS_PER_OBJECT = 4

/** Time that the origin's `/sealed/execute` waits for the outcome before it responds with `running`. */
export const EXECUTE_WAIT_MS = 5_000

/** Time limit for the origin to check the stored key when the action of a trigger changes. */
export const STORED_KEY_LOOK_MS = 5_000

/** Maximum wait of `/sealed/outcomes`, below the idle timeouts of all proxies that we know of. */
export const OUTCOMES_WAIT_MS = 25_000

/**
 * Maximum size of a request's URL and headers at the origin: the largest `X-Wallet-Auth`, the same size again for other
 * headers, and a URL.
 */
export const HEAD_MAX_BYTES = 64 * 1024

/** Maximum head of a sealed core request or response (method, path, query and headers), in bytes of JSON. */
export const SEALED_HEAD_MAX_BYTES = 64 * 1024

/**
 * Interval of the padding bytes that are sent while a sealed core request executes. Proxies close connections that are
 * silent for a minute or two.
 */
export const SEALED_PAD_MS = 15_000

/** Silence after which the origin is considered unresponsive: four padding intervals. */
export const SEALED_SILENCE_MS = 60_000

/**
 * Maximum sealed response that a client reads, in bytes: the largest result, logs with every character escaped, the
 * message and the stack.
 */
export const SEALED_ANSWER_MAX_BYTES = 4 * 1024 * 1024

/** Lifetime of a sealed request. It allows for clocks that differ by seconds, and bounds the replay cache. */
export const SEALED_REQUEST_LIFETIME_MS = 60_000

/** Accepted clock skew: the maximum time by which a sealed request may be dated in the future. */
export const SEALED_CLOCK_SKEW_MS = 30_000

/** Age at which an edge isolate fetches the origin's evidence again. */
export const CHANNEL_KEY_MAX_AGE_MS = 60 * 60 * 1000

/**
 * Maximum length of `X-Wallet-Auth`: base64 of the largest typed data (4 KiB) and the largest signature (8 KiB, as
 * hex), which take less than 21 KiB with their JSON. Proxies accept 32 KiB of headers.
 */
export const WALLET_AUTH_MAX_CHARACTERS = 28 * 1024

/**
 * Rate limit of wallet signatures from one client network: the burst, and the rate of ten per second. Checking the
 * signature of a contract wallet calls our node free of charge.
 */
export const WALLET_PROOFS_BURST = 600
export const WALLET_PROOFS_PER_HOUR = 36_000

/**
 * Rate limit for wallets and usage keys that are created for one ChainSecured account free of charge. The account's
 * admin pays the gas of each.
 */
export const MADE_FOR_WALLETS_BURST = 300
export const MADE_FOR_WALLETS_PER_HOUR = 3_600

/** Maximum concurrent quotes for nonces. Each quote occupies the platform's single quoting enclave for about 50 ms. */
export const QUOTES_AT_ONCE = 4

/** Maximum quotes for nonces per minute and client address. One verification needs one quote. */
export const QUOTES_PER_MINUTE = 30

/**
 * Rate limit for look-ups of uncached action keys, per minute and client address. Each look-up takes half a millisecond
 * of the main thread, and a page with a hundred actions needs a hundred look-ups.
 */
export const ACTION_LOOK_UPS_PER_MINUTE = 300

/** Retention of stored outcomes, which are returned to repeated requests. */
export const OUTCOME_KEPT_MS = 24 * 60 * 60 * 1000

/** Maximum age of the mirror's last contact with the chain. Above it, requests get 503 instead of stale data. */
export const MIRROR_STALE_MS = 30_000

/** Default number of confirmations until a block counts as final: the usual number for large chains. */
export const CHAIN_FINALITY_DEFAULT = 12

/** Lifetime of a single-use magic link: long enough for a slow mail server. */
export const MAGIC_LINK_LIFETIME_MS = 15 * 60 * 1000

export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000

/** Maximum passkeys per account: enough for every device and password manager of a person, and few enough to review. */
export const PASSKEYS_MAX = 20

/** Lifetime of a passkey challenge: long enough for a person to find and touch the authenticator. */
export const PASSKEY_CHALLENGE_LIFETIME_MS = 5 * 60 * 1000

/**
 * Maximum age of a session that may add a passkey. An attacker who steals an older session cannot turn it into
 * permanent access.
 */
export const RECENT_SIGN_IN_MS = 15 * 60 * 1000

/** Lifetime of an agent token, and the idle time after which it expires earlier. */
export const AGENT_TOKEN_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000
export const AGENT_TOKEN_IDLE_MS = 30 * 24 * 60 * 60 * 1000

/** Lifetime of an agent's request: long enough for a person to open the link and sign in. */
export const AGENT_REQUEST_LIFETIME_MS = 10 * 60 * 1000

/**
 * Additional retention of an agent's request after it expires, so that the agent can read the outcome, and the
 * challenge cannot be registered again.
 */
export const AGENT_REQUEST_KEPT_MS = 24 * 60 * 60 * 1000

/**
 * Maximum wrong codes per agent's request. Typing mistakes are tolerated, while five guesses out of 2^40 are
 * negligible.
 */
export const USER_CODE_ATTEMPTS = 5

/** Minimum length of an agent token: 32 random bytes in base64url. Our guide recommends 48 bytes. */
export const AGENT_TOKEN_MIN_CHARACTERS = 43

/** Runs per page of a history: default and maximum. */
export const RUNS_PAGE_DEFAULT = 50
export const RUNS_PAGE_MAX = 100

/**
 * Maximum total size of bodies included in one page of a history: enough for a full page of 64 KiB each. The Durable
 * Object that parses the bodies also accepts the trigger's events, and a page of the largest bodies would block it for
 * seconds.
 */
export const LISTED_INPUTS_MAX_BYTES = 8 * 1024 * 1024

/** Retention of a chain write's record after the write became final: the same as for stored responses. */
export const CHAIN_WRITE_KEPT_MS = 24 * 60 * 60 * 1000

/** Maximum records per page of the core API's lists. */
export const LIST_PAGE_MAX = 200

/** Retention of responses stored under an Idempotency-Key. */
export const ANSWER_KEPT_MS = 24 * 60 * 60 * 1000

/** Maximum characters in an Idempotency-Key. */
export const IDEMPOTENCY_KEY_MAX = 255

/** Interval at which uses of keys are persisted. `last_used_at` may lag by the same time. */
export const KEY_USES_FLUSH_MS = 60_000

/** Prices in cents: of a management write that sends a transaction, and of each started second of execution. */
export const WRITE_CENTS = 1
export const EXECUTION_SECOND_CENTS = 1

/** Number of days covered by a statement of charges: a month by default, and at most a leap year. */
export const USAGE_DAYS_DEFAULT = 30
export const USAGE_DAYS_MAX = 366

/**
 * Execution time that failed runs may use free of charge, per key, action and hour. This allowance grows by the time
 * that the key has paid for in the same hour (docs/decisions/0024).
 */
export const FAILED_EXECUTION_MS = 60_000
export const FAILED_EXECUTION_WINDOW_MS = 60 * 60 * 1000

/**
 * Allowance of an account for all its keys and actions together, as a multiple of the allowance of one key and action.
 * This limit is needed because adding a comment turns the same code into another action. The multiple equals the
 * maximum concurrency of one trigger.
 */
export const FAILED_EXECUTION_PAIRS = 64

/**
 * Bounds of a usage key's spending cap: at most a million dollars, in a window from a minute to a leap year. Shorter
 * windows would be a rate limit.
 */
export const SPEND_CAP_MAX_CENTS = 100_000_000
export const SPEND_WINDOW_MIN_S = 60
export const SPEND_WINDOW_MAX_S = 366 * 24 * 60 * 60

/** Minimum and maximum payment amount, in cents. The maximum limits the damage of a mistyped amount. */
export const PAYMENT_MIN_CENTS = 500
export const PAYMENT_MAX_CENTS = 1_000_000

/**
 * Number of unpaid payments that an account may create. Each payment is polled for a week. Usage keys together get two
 * thirds, and each usage key gets one third. The rest is reserved for the account key and the admin wallet, so that no
 * usage key can block its account from paying.
 */
export const UNPAID_PAYMENTS_PER_HOUR = { account: 30, usageKeys: 20, usageKey: 10 }
export const UNPAID_PAYMENTS_PER_WEEK = { account: 200, usageKeys: 140, usageKey: 70 }

/**
 * Rate limit of payment queries, each of which calls the payment processor. As with unpaid payments, a third is
 * reserved for the account key and the admin wallet.
 */
export const PAYMENT_QUESTIONS_PER_MINUTE = { account: 120, usageKeys: 80 }

/**
 * Maximum response of `/attestation` or `/info`, in bytes. An event log with all payloads takes about 20 KB, and a
 * compose file can take as much.
 */
export const ATTESTATION_MAX_BYTES = 1024 * 1024

/** Maximum size of a quote, in bytes. Real quotes take 5 KB, mostly for the certificate chain. */
export const QUOTE_MAX_BYTES = 16 * 1024

/** Maximum events in one event log. A boot has about 30 events, and an application may extend RTMR3. */
export const EVENTS_MAX = 4_096

/** Maximum size of one evidence file. A certificate chain takes about 6 KB. */
export const EVIDENCE_FILE_MAX_BYTES = 256 * 1024

/** Maximum number of evidence files: five, plus one certificate for each additional name. */
export const EVIDENCE_FILES_MAX = 32

/** Maximum size of the collateral, in bytes. Intel's collateral takes 19 KB, and revocation lists grow. */
export const COLLATERAL_MAX_BYTES = 1024 * 1024

/** Maximum CAA records per name, and maximum characters per record: more than any real zone has. */
export const CAA_RECORDS_MAX = 64
export const CAA_RECORD_MAX_CHARACTERS = 2_048

/** Time limit for one response with evidence. A response with a fresh quote can take a second. */
export const EVIDENCE_ANSWER_MS = 15_000

/** Size of a nonce for a fresh quote: large enough to be unique, and at most the size of the report data. */
export const NONCE_MIN_BYTES = 16
export const NONCE_MAX_BYTES = 64

/**
 * Gas limit of a write to the contract: 2^24, the maximum per transaction under EIP-7825. The largest write within our
 * limits needs 14,440,000 gas (`updateGroup` with the longest texts, replacing 500 wallets and 500 actions by 50 of
 * each). Only `deleteAction` in an account with about 3,000 groups needs more.
 */
export const WRITE_GAS_MAX = 16_777_216n

/** Maximum typed data signed by a wallet, in bytes of JSON text. Usual messages take a sixth of this size. */
export const TYPED_DATA_MAX_BYTES = 4 * 1024

/**
 * Maximum signature of a wallet: 65 bytes, or the input of a contract wallet. A passkey signature takes 700 bytes, and
 * a signature by thirty owners takes 2,000.
 */
export const WALLET_SIGNATURE_MAX_BYTES = 8 * 1024

/** Accepted difference between `issuedAt` in a signed proof and the server's clock, in either direction. */
export const PROOF_WINDOW_S = 300

/**
 * Gas limit for a contract wallet that checks a signature: eight P-256 verifications in Solidity, about 20 ms of our
 * node's time.
 */
export const CONTRACT_SIGNATURE_GAS = 3_000_000

/** Maximum concurrent signature checks by contract wallets. This deployment's node bears the cost of the checks. */
export const CONTRACT_SIGNATURES_AT_ONCE = 8

/** Maximum finality depth of a trigger, in blocks. The watcher stores at least that many blocks. */
export const FINALITY_DEPTH_MAX = 1_000

/** Maximum entries of `topic_filters`, and maximum topics per entry. geth accepts 1,000 topics per position. */
export const TOPIC_FILTERS_MAX = 3
export const TOPICS_PER_FILTER_MAX = 100

/** Maximum addresses and first topics per log query: the limits of common nodes, including geth. */
export const LOG_QUERY_ADDRESSES_MAX = 1_000
export const LOG_QUERY_TOPICS_MAX = 1_000

/**
 * Maximum number of logs in one delivery to a trigger, and maximum size of the logs as JSON. An RPC between Durable
 * Objects carries 32 MiB, and a full queue returns most of the logs.
 */
export const DELIVERY_LOGS_MAX = 200
export const DELIVERY_BYTES_MAX = 1024 * 1024

/**
 * Number of blocks below the head that a watcher stores. Known reorganizations on the supported chains were shallower
 * (157 blocks on Polygon). `BLOCKS_KEPT_MAX` applies if finality lags: two hours of the fastest chain.
 */
export const BLOCKS_KEPT = 256
export const BLOCKS_KEPT_MAX = 20_000
