/** Limits that the services, the clients or the tests must agree on, each with its reason. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts'

/** Default wall-clock limit of an execution: long enough for a slow RPC, and short enough that a hang is noticed. */
export const EXECUTION_WALL_MS = 120_000

/**
 * Upper bound of the operator's setting for the wall-clock limit. Leases and polling are not designed for longer
 * executions.
 */
export const EXECUTION_WALL_MAX_MS = 900_000

/**
 * CPU time of an execution: a quarter of the wall-clock limit. An action may spend the rest waiting, but mining must
 * not be worthwhile.
 */
export const EXECUTION_CPU_MS = 30_000

/**
 * Linear memory (WebAssembly) of one action. The size is fixed, because the engine's own limit does not bound the
 * memory's growth.
 */
export const ACTION_MEMORY_BYTES = 64 * 1024 * 1024

export const SOURCE_MAX_BYTES = 16 * 1024 * 1024

/** Maximum size of `js_params` as JSON text. */
export const PARAMS_MAX_BYTES = 8 * 1024 * 1024

/** Maximum size of an action's return value as JSON text. */
export const RESULT_MAX_BYTES = 1024 * 1024

/** `JSON.stringify` is recursive, and a value that it cannot serialize cannot be stored. */
export const JSON_DEPTH_MAX = 512

/** Maximum nesting of bodies with params: deeper than real data, and small enough to track while scanning. */
export const BODY_DEPTH_MAX = 8_192

/** Longer logs are truncated, and a note is added. */
export const LOGS_MAX_BYTES = 100 * 1024

export const KEY_OPERATIONS_MAX = 10

/** A signature operation cannot be interrupted, and takes 33 ms at this size. */
export const RSA_KEY_MAX_BITS = 8192

/** Maximum outbound requests per execution. Each followed redirect counts as a request. */
export const OUTBOUND_REQUESTS_MAX = 50

/** Maximum size of an outbound request's response, after decompression. */
export const OUTBOUND_RESPONSE_MAX_BYTES = 1_000_000

/** The same as for a response. The largest transaction that a chain accepts has 128 KiB. */
export const OUTBOUND_BODY_MAX_BYTES = 1_000_000

/** Common servers accept this length in a request line. */
export const OUTBOUND_URL_MAX_CHARACTERS = 8192

/** Maximum redirects per outbound request (Fetch standard, HTTP-redirect fetch). */
export const OUTBOUND_REDIRECTS_MAX = 20

/**
 * Maximum size of a message for `Svc.Actions.encrypt`, in UTF-8. Encryption is meant for keys and documents, not files,
 * because messages cross two process boundaries.
 */
export const ENCRYPTED_MESSAGE_MAX_BYTES = 64 * 1024

/** A ciphertext is 45 bytes longer than its message (`origin/keys/wallet-cipher.ts`). */
export const CIPHERTEXT_MAX_CHARACTERS = 4 * Math.ceil((ENCRYPTED_MESSAGE_MAX_BYTES + 45) / 3)

/**
 * Maximum size of what a signing operation of `Svc.Actions` signs: the bytes of a message, the data of a transaction, or
 * typed data as JSON. The origin hashes it on its main thread. The data that creates the largest contract has 48 KiB
 * (EIP-3860).
 */
export const SIGNING_INPUT_MAX_BYTES = 64 * 1024

/** Maximum length of a transaction as JSON: its data as hex, and room for an access list. */
export const TRANSACTION_JSON_MAX_CHARACTERS = 4 * SIGNING_INPUT_MAX_BYTES

/**
 * Maximum number and length of the error signatures that a transaction can name to have a revert decoded. Both are
 * stored with the transaction.
 */
export const TRANSACTION_ERRORS_MAX = 32
export const TRANSACTION_ERROR_MAX_CHARACTERS = 512

/** Default duration of `Svc.Actions.transaction` with `waitFor`: two blocks of Ethereum and the answers of its nodes. */
export const TRANSACTION_WAIT_MS = 30_000

/**
 * Maximum body of core API requests without source. The largest contains a hundred IDs and a description. The limit
 * also bounds the JSON that a client without a key can have parsed free of charge.
 */
export const OPERATION_BODY_MAX_BYTES = 64 * 1024

/**
 * Maximum body of core API requests with a policy or a transaction: the largest policy (64 KiB), plus a signature, or a
 * transaction with 64 KiB of data in hex.
 */
export const POLICY_BODY_MAX_BYTES = 256 * 1024

/** Typical events take a few KiB, and some tens of KiB with all customer-supplied fields. */
export const PROCESSOR_EVENT_MAX_BYTES = 1024 * 1024

/** Maximum body of core API requests with source: the largest source and params, plus JSON overhead. */
export const CORE_BODY_MAX_BYTES = 32 * 1024 * 1024

/** Timeout for receiving a body at the edge and the origin, because slow senders occupy memory. */
export const BODY_TIMEOUT_MS = 60_000

/**
 * Interval in which a body over 64 KiB must make a minimum of progress at the origin: 16 KiB/s, a third of a 3G uplink.
 * The memory for a stalled body is released after at most two intervals.
 */
export const BODY_STALL_MS = 10_000
export const BODY_STALL_BYTES = 160 * 1024

/**
 * A body is rejected if it arrives in more than `BODY_SMALL_CHUNKS_MAX` chunks that average less than
 * `BODY_CHUNK_MIN_BYTES`. Node's parser spends 2.5 µs of the main thread per chunk. TLS records and TCP segments are
 * larger. An encoder that writes one chunk per JSON token can send about 6 KB before its body is rejected.
 */
export const BODY_SMALL_CHUNKS_MAX = 1_024
export const BODY_CHUNK_MIN_BYTES = 32

/**
 * Maximum memory for bodies over 64 KiB that are still arriving. One pool is for senders without a verified key, one is
 * for accounts, and one for the edge. Each client network or account may use at most four bodies of the largest size. A
 * process with less than 8 GiB of memory uses lower limits (`origin/admission/memory-limits.ts`).
 */
export const UNAUTHENTICATED_BODIES_BYTES = 256 * 1024 * 1024
export const ARRIVING_BODIES_BYTES = 512 * 1024 * 1024
export const ARRIVING_BODIES_SHARE_BYTES = 128 * 1024 * 1024

/**
 * Default maximum of connections per origin process (`SVC_CONNECTIONS_MAX`), if its memory allows that many. Each
 * connection uses 50 KB, plus 64 KiB for a small body.
 */
export const CONNECTIONS_MAX = 4_096

/**
 * CID computations per client address and minute, free of charge. The largest source occupies a thread for 0.2 s. A
 * page with a hundred actions requests each CID once.
 */
export const SOURCE_CIDS_PER_MINUTE = 120

/**
 * Maximum large sources that clients without a key may queue for the single CID thread. Each queued source keeps its
 * body in memory.
 */
export const SOURCE_CIDS_WAITING_MAX = 4

/** Maximum IDs in each permission array of a usage key or group. */
export const PERMISSION_IDS_MAX = 50

/** Maximum length of a name. The contract limits bytes instead, and has room for the longest name and description. */
export const NAME_MAX_CHARACTERS = 256
/** Storing 4 KB on the chain costs about 3,000,000 gas, which this deployment pays for one cent. */
export const DESCRIPTION_MAX_CHARACTERS = 1024

/** The same as for a name, because creating an account is free of charge. */
export const ACCOUNT_DESCRIPTION_MAX_CHARACTERS = NAME_MAX_CHARACTERS

/** Maximum length of an email address: 64 for the local part, `@`, and 255 for the domain (RFC 5321, 4.5.3.1). */
export const EMAIL_MAX_CHARACTERS = 320

/** Larger bodies get 413. GitHub's usual payloads are far smaller. */
export const WEBHOOK_BODY_MAX_BYTES = 2 * 1024 * 1024

/** Senders time out sooner, and slow senders occupy memory. */
export const WEBHOOK_BODY_TIMEOUT_MS = 30_000

/** Verifying a sender takes three or four headers. */
export const PASS_HEADERS_MAX = 16

/** Maximum fields of a webhook's form: the default limit of PHP and Express. */
export const FORM_FIELDS_MAX = 1_000

/** Known senders use shorter challenges, and large inputs must not be reflected. */
export const HANDSHAKE_MAX_CHARACTERS = 1024

/** Bounds of a webhook secret. The longest known secret is a public key in PEM, and the shortest has 16 characters. */
export const WEBHOOK_SECRET_MIN_CHARACTERS = 8
export const WEBHOOK_SECRET_MAX_CHARACTERS = 1024

/** Maximum difference between a webhook's signed timestamp and the clock: the default of Stripe, Slack and Svix. */
export const WEBHOOK_TOLERANCE_MS = 300_000

/** Maximum time that the sender of a webhook waits for the run (`options.respond`). Most senders wait 10 s or longer. */
export const RESPOND_WAIT_MS = 10_000

/** Maximum senders that wait for runs of one trigger. An object handles a few hundred open requests without delay. */
export const HELD_RESPONSES_MAX = 100

/** Maximum bytes of a body in one storage row. Durable Objects in production reject rows over 2 MB. */
export const BODY_PART_BYTES = 1024 * 1024

/** Maximum size of a trigger's source, which is stored with the trigger in one row. */
export const TRIGGER_SOURCE_MAX_BYTES = 1024 * 1024

/** Maximum actions that a user keeps in the library, so that a full list is bounded. */
export const LIBRARY_ACTIONS_MAX = 200

/** Maximum versions of an action in the library, so that a full list is bounded. */
export const ACTION_VERSIONS_MAX = 100

/** Maximum size of all sources in a user's library. Most sources have 1 KB to 100 KB. */
export const ACTION_LIBRARY_MAX_BYTES = 16 * 1024 * 1024

/**
 * Size of the edge's database above which no sources are added to libraries. Lower than `INDEX_BYTES_MAX`, so that
 * libraries cannot prevent the creation of triggers.
 */
export const ACTION_LIBRARY_DATABASE_BYTES = 6_000_000_000

/** Maximum length of a note on a version: a line of a commit message and some context. */
export const ACTION_NOTE_MAX_CHARACTERS = 500

/** Maximum body of trigger requests: the largest source and params, plus JSON overhead if every byte is escaped. */
export const TRIGGER_BODY_MAX_BYTES = 8 * 1024 * 1024

/** Every run repeats the params, and each revision stores them in one row with the source. */
export const DEFAULT_PARAMS_MAX_BYTES = 256 * 1024

/** Larger params are returned only with the single trigger, to keep a full list below 10 MB. */
export const LISTED_PARAMS_MAX_BYTES = 8 * 1024

/** Maximum triggers per account, so that a full list is bounded. */
export const TRIGGERS_MAX = 1_000

/**
 * Size of the edge's database above which no triggers are created. D1 stores at most 10 GB, and beyond that, sign-ins
 * would fail too. A row of the index and its entries in indexes take 1 KB to 12 KiB.
 */
export const INDEX_BYTES_MAX = 8_000_000_000

/** Maximum runs that one trigger may start in any 60 s window: default and upper bound. */
export const MAX_RUNS_PER_MINUTE_DEFAULT = 60
export const MAX_RUNS_PER_MINUTE_BOUND = 6_000

/** Upper bound of the maximum number of queued runs. Large bodies reach `QUEUED_BYTES_MAX` first. */
export const MAX_QUEUED_RUNS_BOUND = 10_000

/** It is high, because senders such as GitHub do not redeliver rejected events. */
export const WEBHOOK_QUEUED_RUNS_DEFAULT = MAX_QUEUED_RUNS_BOUND

/**
 * Default maximum of queued runs for schedules and chain events. A full queue does not lose chain events, because their
 * logs stay on the chain. A schedule that falls behind should not catch up on thousands of ticks.
 */
export const MAX_QUEUED_RUNS_DEFAULT = 100

/** Maximum size of all queued bodies of a trigger. A Durable Object's storage has 10 GB in production. */
export const QUEUED_BYTES_MAX = 256 * 1024 * 1024

/** Maximum concurrent runs of one trigger: the defaults by kind, and the upper bound. */
export const WEBHOOK_CONCURRENCY = 8
export const SCHEDULE_CONCURRENCY = 1
export const CONCURRENCY_MAX = 64

/** Limits on the finished runs that are stored for a trigger. The limit that is reached first applies. */
export const HISTORY_RETENTION_MS = 30 * DAY_MS
export const HISTORY_RUNS_MAX = 10_000
export const HISTORY_BYTES_MAX = 1024 * 1024 * 1024

/** Failed runs that are stored per user, over all triggers, about 100 MB. Older ones are deleted first. */
export const FAILED_RUNS_MAX = 100_000

/** Bounds of `options.debounce_ms` and `options.batch.max_ms`. The event is stored, so waiting costs nothing. */
export const COLLECT_MIN_MS = 100
export const COLLECT_MAX_MS = 15 * MINUTE_MS

/** A debounced event runs at the latest this long after the first event of its run, even if there is no quiet period. */
export const DEBOUNCE_WAIT_MAX_MS = HOUR_MS

/** Maximum of `options.batch.max_events`. The events of a run also share the size limit of one webhook. */
export const BATCH_EVENTS_MAX = 1_000

/** Longest expression of an option such as `filter`. Longer conditions belong in the action. */
export const EXPRESSION_MAX_CHARACTERS = 2_000

/** Bounds of the syntax tree of an expression, so that compiling it takes less than a millisecond. */
export const EXPRESSION_NODES_MAX = 300
export const EXPRESSION_DEPTH_MAX = 48

/** Loops within loops take time that grows with the power of their number. */
export const EXPRESSION_LOOPS_MAX = 2

/** Steps of one evaluation. On the largest event, this many steps take some tens of milliseconds. */
export const EXPRESSION_STEPS_MAX = 250_000

/** Longest text that an expression may build: twice the largest webhook body. */
export const EXPRESSION_TEXT_MAX_CHARACTERS = 4 * 1024 * 1024

/** Incidents that are stored per user. Older ones are deleted first. */
export const INCIDENTS_MAX = 5_000

/** Alert channels that a user can add. Each one is a row that is read when an incident opens. */
export const ALERT_CHANNELS_MAX = 10

/** Triggers in the filter of an alert channel. Each ID is checked when it is set. */
export const ALERT_CHANNEL_TRIGGERS_MAX = 50

/** Longest URL of an alert channel. Browsers and proxies support about this length. */
export const ALERT_URL_MAX_CHARACTERS = 2_048

/**
 * Maximum of stored usage keys per request for their states. Bounds the work of the origin, which decrypts each key.
 */
export const KEY_STATES_PER_REQUEST_MAX = 32

/** Default number of days before the expiry of a usage key at which its owner is alerted. */
export const KEY_EXPIRING_DAYS_DEFAULT = 7
export const KEY_EXPIRING_DAYS_MAX = 90

/** Default balance in cents below which the owner of a trigger is alerted. */
export const CREDIT_LOW_CENTS_DEFAULT = 500
export const CREDIT_LOW_CENTS_MAX = 1_000_000

/**
 * Default thresholds of alert signals: the share of runs in an hour that failed, and the share of `max_queued_runs` that
 * is queued. The trigger's object applies them, and the API describes them.
 */
export const FAILURE_RATE_THRESHOLD = 0.5
export const QUEUE_SHARE_THRESHOLD = 0.8

/** Page sizes of lists of incidents and deliveries. */
export const ALERTS_PAGE_DEFAULT = 50
export const ALERTS_PAGE_MAX = 200

/** Retention of delivery IDs for deduplication (`options.dedup`). Senders stop retrying sooner. */
export const DELIVERY_RETENTION_MS = DAY_MS

/** Maximum length of a delivery ID, the same as for an Idempotency-Key. Longer delivery IDs are stored as a hash. */
export const DELIVERY_ID_MAX_CHARACTERS = 255

/** Interval of the schedule scanner, and the minimum distance between two ticks of a schedule. */
export const SCAN_INTERVAL_MS = 30_000
export const SCHEDULE_INTERVAL_MIN_MS = 30_000

/** Delay after which a tick that has not fired counts as late, and the scanner visits its schedule. */
export const TICK_LATE_MS = 2_000

/** Maximum delay at which a single late tick fires regardless of `options.misfire`. */
export const TICK_GRACE_MS = 2 * SCAN_INTERVAL_MS

/**
 * Limits on missed ticks: the age below which `coalesce` fires the latest tick, and the maximum number that `all`
 * fires.
 */
export const MISSED_TICK_MAX_AGE_MS = HOUR_MS
export const MISSED_TICKS_MAX = 100

/** Maximum wait of `GET /api/runs/<id>?wait=`, below the idle timeouts of common proxies. */
export const RUN_WAIT_MAX_S = 30

/**
 * Maximum connections of a Durable Object to the origin. Cloudflare allows six per object in production, and an alarm
 * needs a free one.
 */
export const ORIGIN_CONNECTIONS_PER_OBJECT = 4

/** Time after the start of a run after which `/sealed/runs` responds with `running`. */
export const EXECUTE_WAIT_MS = 5_000
/** The same if the connection is the last free one of the object, so that other runs soon need it. */
export const EXECUTE_WAIT_CROWDED_MS = 250

/** Timeout for checking the stored key when the action of a trigger changes. */
export const STORED_KEY_CHECK_MS = 5_000

/** Maximum wait of `/sealed/outcomes`, below the idle timeouts of all proxies that we know of. */
export const OUTCOMES_WAIT_MS = 25_000

/**
 * Maximum size of URL and headers at the origin: the largest `X-Wallet-Auth`, the same size again for other headers,
 * and a URL.
 */
export const HEAD_MAX_BYTES = 64 * 1024

/** Method, path, query and headers, in bytes of JSON. */
export const SEALED_HEAD_MAX_BYTES = 64 * 1024

/** Proxies close connections that are silent for a minute or two. */
export const SEALED_PAD_MS = 15_000

/** Time without data after which the origin counts as unresponsive: four padding intervals. */
export const SEALED_IDLE_TIMEOUT_MS = 60_000

/** The largest result, logs with every character escaped, the message and the stack. */
export const SEALED_RESPONSE_MAX_BYTES = 4 * 1024 * 1024

/** It allows for clocks that differ by seconds, and bounds the replay cache. */
export const SEALED_REQUEST_LIFETIME_MS = 60_000

/** Maximum time by which a sealed request may be dated in the future. */
export const SEALED_CLOCK_SKEW_MS = 30_000

/** Age at which the edge fetches the origin's evidence again. */
export const CHANNEL_KEY_MAX_AGE_MS = HOUR_MS

/**
 * Maximum length of `X-Wallet-Auth`: base64 of the largest typed data (4 KiB) and the largest signature (8 KiB, as
 * hex), which take less than 21 KiB with their JSON. Proxies accept 32 KiB of headers.
 */
export const WALLET_AUTH_MAX_CHARACTERS = 28 * 1024

/**
 * Limit on wallet proofs per client network: the burst, and ten per second. Checking the signature of a contract wallet
 * calls our node free of charge.
 */
export const WALLET_PROOFS_BURST = 600
export const WALLET_PROOFS_PER_HOUR = 36_000

/**
 * Limit on wallets, usage keys and policy changes that are prepared free of charge for one ChainSecured account. The
 * admin pays the gas for each.
 */
export const ADMIN_WALLET_CREATIONS_BURST = 300
export const ADMIN_WALLET_CREATIONS_PER_HOUR = 3_600

/** Each occupies the platform's single quoting enclave for about 50 ms. */
export const CONCURRENT_QUOTES_MAX = 4

/** Maximum quotes for nonces per client address and minute. One verification needs one quote. */
export const QUOTES_PER_MINUTE = 30

/**
 * Maximum lookups of uncached action keys per client address and minute. Each lookup takes half a millisecond of the
 * main thread, and a page with a hundred actions needs a hundred lookups.
 */
export const ACTION_LOOKUPS_PER_MINUTE = 300

/** Retention of outcomes, which are returned to repeated requests. */
export const OUTCOME_RETENTION_MS = DAY_MS

/** Maximum time without contact with the chain. Afterwards, requests get 503 instead of stale data. */
export const MIRROR_STALE_MS = 30_000

/** Default confirmations until a block counts as final: the usual number for large chains. */
export const CHAIN_FINALITY_DEFAULT = 12

/** Lifetime of a sign-in link, long enough for a slow mail server. */
export const MAGIC_LINK_LIFETIME_MS = 15 * MINUTE_MS

export const SESSION_LIFETIME_MS = 7 * DAY_MS

/** Maximum passkeys per person: enough for every device and password manager, and few enough to review. */
export const PASSKEYS_MAX = 20

/** Maximum account links per person, so that the list of the console is short and bounded. */
export const ACCOUNT_LINKS_MAX = 20

/** Maximum people with whom an account link is shared, including invitations: enough for a team, and few enough to review. */
export const ACCOUNT_SHARES_MAX = 20

/** Lifetime of an invitation to a shared account: long enough for a person who is on vacation. */
export const INVITATION_LIFETIME_MS = 30 * DAY_MS

/** Lifetime of a passkey challenge, long enough for a person to find and touch the authenticator. */
export const PASSKEY_CHALLENGE_LIFETIME_MS = 5 * MINUTE_MS

/**
 * Maximum age of a session that may add a passkey, so that an attacker with an older session cannot obtain permanent
 * access.
 */
export const RECENT_SIGN_IN_MS = 15 * MINUTE_MS

/**
 * Maximum size of an MCP message. The largest tool input is a source of 1 MiB, in which JSON may escape each character
 * as six characters.
 */
export const MCP_MESSAGE_MAX_BYTES = 8 * 1024 * 1024

/** Lifetime of an agent token, and the idle time after which the token expires earlier. */
export const AGENT_TOKEN_LIFETIME_MS = 90 * DAY_MS
export const AGENT_TOKEN_IDLE_MS = 30 * DAY_MS

/** Lifetime of an OAuth authorization code. The client exchanges it at once. */
export const OAUTH_CODE_LIFETIME_MS = MINUTE_MS

/** Minimum interval between polls for the approval of a device code: the default of RFC 8628, 3.2. */
export const DEVICE_POLL_INTERVAL_MS = 5_000

/** Lifetime of an OAuth access token, which is short because a refresh token follows it. */
export const OAUTH_ACCESS_TOKEN_LIFETIME_MS = 60 * MINUTE_MS

/** Lifetime of an authorization request, long enough for a person to open the link and sign in. */
export const AGENT_REQUEST_LIFETIME_MS = 10 * MINUTE_MS

/**
 * Retention of an authorization request after expiry, so that the agent can read the outcome, and the challenge cannot
 * be registered again.
 */
export const AGENT_REQUEST_RETENTION_MS = DAY_MS

/** Typing mistakes are tolerated, while five guesses out of 2^40 are negligible. */
export const USER_CODE_ATTEMPTS = 5

/** Minimum length of an agent token: 32 random bytes in base64url. Our guide recommends 48 bytes. */
export const AGENT_TOKEN_MIN_CHARACTERS = 43

/**
 * A page of the runs of all triggers calls the objects of at most this many triggers, and reads at most this many runs if
 * it is filtered by status or error. A search in headers or params reads at most `RUN_SEARCH_MAX_RUNS`.
 */
export const ALL_RUNS_TRIGGERS_MAX = 50
export const ALL_RUNS_FILTERED_MAX = 5_000

/** Hours that the run statistics in lists of triggers cover. */
export const ACTIVITY_HOURS = 24

export const RUNS_PAGE_DEFAULT = 50
export const RUNS_PAGE_MAX = 100

/**
 * Maximum size of the bodies in one page of a run history. A full page may contain 64 KiB for each run. The Durable
 * Object that parses the bodies also accepts the trigger's events, and a page of the largest bodies would block the
 * object for seconds.
 */
export const LISTED_INPUTS_MAX_BYTES = 8 * 1024 * 1024

/**
 * Maximum number of runs, and of bytes of their bodies and results, that one search of a run history reads. The Durable
 * Object that searches is blocked for that time.
 */
export const RUN_SEARCH_MAX_RUNS = 500
export const RUN_SEARCH_MAX_BYTES = 4 * 1024 * 1024
export const RUN_SEARCH_TEXT_MAX_CHARACTERS = 200

/** A page of failed runs asks the objects of their triggers for the states of replays. */
export const FAILED_RUNS_PAGE_MAX = 100
export const ERROR_GROUPS_PAGE_MAX = 100

/**
 * Maximum runs of a bulk replay: the runs that the history of one trigger retains. The object of the user stores their
 * IDs in one transaction.
 */
export const REPLAY_RUNS_MAX = 10_000

/** Maximum run IDs in the request for a bulk replay. Each trigger that they name is asked whether it has the runs. */
export const REPLAY_IDS_MAX = 500

/**
 * Replays per minute of a bulk replay. The default is the default of `max_runs_per_minute`. The maximum leaves room for
 * webhooks of the same trigger, which are accepted at several hundred a second.
 */
export const REPLAYS_PER_MINUTE_DEFAULT = MAX_RUNS_PER_MINUTE_DEFAULT
export const REPLAYS_PER_MINUTE_MAX = 600

/** Maximum bulk replays of a user that run at the same time. */
export const REPLAYS_RUNNING_MAX = 5

/** Share of `max_queued_runs` that bulk replays may fill. The rest is left for new events. */
export const REPLAY_QUEUE_SHARE = 0.5

export const REPLAYS_PAGE_MAX = 50

/** Retention of a chain write after it became final: the same as for stored responses. */
export const CHAIN_WRITE_RETENTION_MS = DAY_MS

export const LIST_PAGE_MAX = 200

/** Entries that are kept of a user's log of changes of triggers. They take up to about 40 MB in the user's object. */
export const TRIGGER_LOG_ENTRIES_MAX = 10_000

/** Longer values of fields, such as lists of addresses, are logged as a hash. */
export const TRIGGER_LOG_VALUE_MAX_CHARACTERS = 1_000

export const IDEMPOTENT_RESPONSE_RETENTION_MS = DAY_MS

export const IDEMPOTENCY_KEY_MAX = 255

/** Interval of storing `last_used_at`, by which the stored time may lag. */
export const KEY_USES_FLUSH_MS = 60_000

/** Price of a management write that sends a transaction, and of each started second of execution. */
export const WRITE_CENTS = 1
export const EXECUTION_SECOND_CENTS = 1

/** Days in a statement of charges: a month by default, at most a leap year. */
export const USAGE_DAYS_DEFAULT = 30
export const USAGE_DAYS_MAX = 366

/**
 * Free execution time of failed runs per key, action and hour. The allowance grows by the time that the key has paid
 * for in the same hour (docs/decisions/0024).
 */
export const FAILED_EXECUTION_MS = 60_000
export const FAILED_EXECUTION_WINDOW_MS = HOUR_MS

/**
 * Allowance of a whole account, as a multiple of the allowance of one key and action. Adding a comment turns the same
 * code into another action, so a limit per action is not enough. The factor equals the maximum concurrency of one
 * trigger.
 */
export const FAILED_EXECUTION_PAIRS = 64

/**
 * Bounds of a spending cap: at most a million dollars, in a window from a minute to a leap year. Shorter windows would
 * be a rate limit.
 */
export const SPEND_CAP_MAX_CENTS = 100_000_000
export const SPEND_WINDOW_MIN_S = 60
export const SPEND_WINDOW_MAX_S = 366 * 24 * 60 * 60

/**
 * Bounds of the limits of a usage key. A request is checked against each of the key's origins and networks, so there are
 * few of them.
 */
export const KEY_REQUESTS_PER_MINUTE_MAX = 60_000
export const KEY_CONCURRENT_MAX = 1_000
export const KEY_ORIGINS_MAX = 20
export const KEY_NETWORKS_MAX = 100

/**
 * Maximum changes of spending caps and limits of keys, per account, minute and process. They are free of charge, and each
 * adds a permanent entry to the audit log. Only the owner can make them.
 */
export const KEY_LIMIT_CHANGES_PER_MINUTE = { account: 60, usageKeys: 0 }

/** Bounds of a payment. The maximum limits the damage of a mistyped amount. */
export const PAYMENT_MIN_CENTS = 500
export const PAYMENT_MAX_CENTS = 1_000_000

/**
 * Maximum unpaid payments per account and hour. Each unpaid payment is polled for a week. Usage keys together get two
 * thirds, and each usage key gets one third. The rest is reserved for the account key and the admin wallet, so that no
 * usage key can block its account from paying.
 */
export const UNPAID_PAYMENTS_PER_HOUR = { account: 30, usageKeys: 20, usageKey: 10 }
export const UNPAID_PAYMENTS_PER_WEEK = { account: 200, usageKeys: 140, usageKey: 70 }

/**
 * Maximum simulations of signatures per account and minute. They are free of charge, and a simulation with the largest
 * policy blocks the main thread for 60 ms. A third is reserved for the owner.
 */
export const SIMULATIONS_PER_MINUTE = { account: 60, usageKeys: 40 }

/**
 * Maximum requests that send, speed up or cancel transactions, per account, minute and process. They are free of charge,
 * but each queries the chain's nodes. Ten per second keep several wallets at their maximum of
 * transactions in flight on a chain with blocks of 12 s. A third is reserved for the owner.
 */
export const TRANSACTION_REQUESTS_PER_MINUTE = { account: 600, usageKeys: 400 }

/**
 * Maximum calldata of a transaction in a list. A page of the largest calldata would have 26 MB, but sealed responses have
 * at most 4 MiB. Larger calldata is not kept permanently.
 */
export const LISTED_DATA_MAX_BYTES = 1_024

/**
 * Maximum payment queries per minute. Each query calls the payment processor. As with unpaid payments, a third is
 * reserved for the account key and the admin wallet.
 */
export const PAYMENT_QUERIES_PER_MINUTE = { account: 120, usageKeys: 80 }

/**
 * Maximum size of `/attestation` or `/info`. An event log with all payloads takes about 20 KB, and a compose file can
 * take as much.
 */
export const ATTESTATION_MAX_BYTES = 1024 * 1024

/** Real quotes take 5 KB, mostly for the certificate chain. */
export const QUOTE_MAX_BYTES = 16 * 1024

/** A boot has about 30 events, and an application may extend RTMR3. */
export const EVENTS_MAX = 4_096

/** A certificate chain takes about 6 KB. */
export const EVIDENCE_FILE_MAX_BYTES = 256 * 1024

/** Usually there are five, plus one certificate for each additional name. */
export const EVIDENCE_FILES_MAX = 32

/** Intel's collateral takes 19 KB, and revocation lists grow. */
export const COLLATERAL_MAX_BYTES = 1024 * 1024

/**
 * Maximum size of `/attestation/bundle`, which contains three quotes with their event logs, the compose text, the files
 * and the collateral: about 150 KB on real machines.
 */
export const EVIDENCE_BUNDLE_MAX_BYTES = 4 * 1024 * 1024

/** Maximum number of CAA records, more than any real zone has. */
export const CAA_RECORDS_MAX = 64
export const CAA_RECORD_MAX_CHARACTERS = 2_048

/** Timeout for fetching evidence. A response with a fresh quote can take a second. */
export const EVIDENCE_TIMEOUT_MS = 15_000

/** Bounds of a nonce: large enough to be unique, and at most the size of the report data. */
export const NONCE_MIN_BYTES = 16
export const NONCE_MAX_BYTES = 64

/**
 * Maximum gas of a transaction: 2^24, the limit of EIP-7825. The largest write within our limits needs 14,440,000 gas
 * (`updateGroup` with the longest texts, replacing 500 wallets and 500 actions by 50 of each). Only `deleteAction` in
 * an account with about 3,000 groups needs more.
 */
export const WRITE_GAS_MAX = 16_777_216n

/**
 * Time after its last heartbeat at which an origin process loses its payers to other processes. Allows for two missed
 * heartbeats, but is short enough to wait for after a crash.
 */
export const PROCESS_LEASE_MS = 15_000

/** With four payers, a stuck transaction delays only a quarter of the writes. */
export const PAYERS_DEFAULT = 4

/** No chain needs more for our writes, and the balances can still all be polled. */
export const PAYERS_MAX = 64

/** Maximum size of typed data as JSON text. Usual messages take a sixth of this size. */
export const TYPED_DATA_MAX_BYTES = 4 * 1024

/**
 * Maximum size of a wallet's signature: 65 bytes, or the input of a contract wallet. A passkey signature takes 700
 * bytes, and a signature by thirty owners takes 2,000.
 */
export const WALLET_SIGNATURE_MAX_BYTES = 8 * 1024

/** Maximum difference between `issuedAt` in a signed proof and the server's clock, in either direction. */
export const PROOF_WINDOW_S = 300

/**
 * Maximum gas of a contract wallet's signature check: eight P-256 verifications in Solidity, about 20 ms of our node's
 * time.
 */
export const CONTRACT_SIGNATURE_GAS = 3_000_000

/** Maximum concurrent checks of contract wallets' signatures, because this deployment's node bears the cost. */
export const CONCURRENT_CONTRACT_SIGNATURES_MAX = 8

/** Maximum finality depth in blocks. The watcher stores at least that many blocks. */
export const FINALITY_DEPTH_MAX = 1_000

/** Limits on `topic_filters`. geth accepts 1,000 topics per position. */
export const TOPIC_FILTERS_MAX = 3
export const TOPICS_PER_FILTER_MAX = 100

/**
 * Addresses of a chain event, and of all chain events of a user. The watcher of a chain holds the lists of all its
 * triggers in memory, 20 bytes for each address, or 36 for each contract of a factory. A factory counts as the most
 * addresses that a chain event may have.
 */
export const CHAIN_EVENT_ADDRESSES_MAX = 10_000
export const USER_ADDRESSES_MAX = 100_000

/**
 * Bounds of the interval of a trigger on blocks. The minimum is about 10 s of blocks, so that a fast chain does not fill
 * the queue; the maximum is about a year of the fastest chain.
 */
export const BLOCKS_EVERY_MIN = { ethereum: 1, base: 5, arbitrum: 40, bsc: 15, polygon: 5 }
export const BLOCKS_EVERY_MAX = 100_000_000

/**
 * Bounds of a trigger on transactions. The watcher of a chain holds the addresses of all of its triggers in memory, as
 * text. Blocks before the head are read in full for one trigger alone, so `start_block` is limited to 10,000 blocks
 * before it, about 33 hours on Ethereum.
 */
export const TRANSACTION_ADDRESSES_MAX = 100
export const TRANSACTION_SELECTORS_MAX = 100
export const TRANSACTION_START_BLOCKS_MAX = 10_000

/**
 * Limits on `where`. The watcher of a chain holds the conditions of all of its triggers in memory. Values of `in` can
 * become a topic filter.
 */
export const WHERE_MAX_BYTES = 16 * 1024
export const WHERE_VALUES_MAX = TOPICS_PER_FILTER_MAX

/** Maximum addresses and topics in a log query: the limits of common nodes, including geth. */
export const LOG_QUERY_ADDRESSES_MAX = 1_000
export const LOG_QUERY_TOPICS_MAX = 1_000

/**
 * Maximum size of one delivery to a trigger, with the logs as JSON. An RPC between Durable Objects can transfer 32 MiB,
 * and a full queue accepts few of the logs.
 */
export const DELIVERY_LOGS_MAX = 200
export const DELIVERY_BYTES_MAX = 1024 * 1024

/**
 * Number of blocks stored below the head. Known reorganizations on the supported chains were shallower (157 blocks on
 * Polygon). `BLOCKS_RETAINED_MAX` applies if finality lags: two hours of the fastest chain.
 */
export const BLOCKS_RETAINED = 256
export const BLOCKS_RETAINED_MAX = 20_000

/**
 * Signed transactions of a wallet on a chain that are not in a block yet. Nodes keep at least 64 transactions per sender
 * in their pools.
 */
export const TRANSACTIONS_IN_FLIGHT_MAX = 64

/** Transactions of a wallet on a chain that have not ended. Far more than wait unless the chain or the wallet is stuck. */
export const TRANSACTIONS_OPEN_MAX = 1_000

/**
 * Maximum large data (above `LISTED_DATA_MAX_BYTES`) of an account's transactions for which no gas was paid: those that
 * are open, or have ended otherwise than in a block within the retention. In hex and with the signed bytes, it takes
 * four times the space. A third is reserved for the owner.
 */
export const UNPAID_TRANSACTION_DATA_MAX_BYTES = {
  account: 16 * 1024 * 1024,
  usageKeys: 11 * 1024 * 1024,
}

/** Time after the end of a transaction at which large data and its signed bytes are removed. */
export const TRANSACTION_DATA_RETENTION_DAYS = 7

/**
 * Maximum transactions of an account that were requested outside of runs, and ended before they were signed, per 24
 * hours. Their rows are kept permanently, and cost the account nothing: at most 40 MB a day. A client can try a
 * transaction in each block of Ethereum. A third is reserved for the owner.
 */
export const UNSIGNED_TRANSACTIONS_PER_DAY = { account: 10_000, usageKeys: 6_600 }

/**
 * Attempts of a transaction after which its fees are not raised any more. Automatic raises need about 20 to reach ten
 * times the market's fees. Each attempt is kept permanently, but only one is paid.
 */
export const TRANSACTION_ATTEMPTS_MAX = 64
