/** Every number that both sides, the clients or the tests must agree on, each with its reason. */

/** Wall clock of one execution: long enough for a slow RPC, short enough that a hang is noticed. */
export const EXECUTION_WALL_MS = 120_000

/** An operator may raise the wall clock to this; past it, leases and polling would need another design. */
export const EXECUTION_WALL_MAX_MS = 900_000

/** CPU of one execution: a quarter of the wall clock, so that waiting is cheap and mining is not. */
export const EXECUTION_CPU_MS = 30_000

/** Linear memory of one action; fixed, since the engine's own limit does not bound its growth. */
export const ACTION_MEMORY_BYTES = 64 * 1024 * 1024

/** Source text of one action over the core API (`decisions.md`, Limits). */
export const SOURCE_MAX_BYTES = 16 * 1024 * 1024

/** `js_params` of one execution, as JSON text (`decisions.md`, Limits). */
export const PARAMS_MAX_BYTES = 8 * 1024 * 1024

/** A returned value, as JSON text (`decisions.md`, Limits). */
export const RESULT_MAX_BYTES = 1024 * 1024

/** Levels of JSON that comes from outside: `JSON.stringify` recurses, and what it can not write can not be kept. */
export const JSON_DEPTH_MAX = 512

/** Levels of a request's body that has params: more than data has, and few enough to keep account of while it is read. */
export const BODY_DEPTH_MAX = 8_192

/** Console output that is kept; what comes after it is cut with a note. */
export const LOGS_MAX_BYTES = 100 * 1024

/** Key operations of one execution (specification, Limits). */
export const KEY_OPERATIONS_MAX = 10

/** Modulus of an RSA key in `crypto.subtle`: nothing stops one signature half-way, and with this one it takes 33 ms. */
export const RSA_KEY_MAX_BITS = 8192

/** Outbound requests of one execution; a redirect that is followed counts as one (specification, Limits). */
export const OUTBOUND_REQUESTS_MAX = 50

/** One outbound response, once it is decompressed (specification, Limits). */
export const OUTBOUND_RESPONSE_MAX_BYTES = 1_000_000

/** One outbound request's body: as much as may come back. The largest transaction that a chain takes is 128 KiB. */
export const OUTBOUND_BODY_MAX_BYTES = 1_000_000

/** An outbound request's URL: what common servers take in a request line. */
export const OUTBOUND_URL_MAX_CHARACTERS = 8192

/** Redirects that one outbound request follows (Fetch standard, HTTP-redirect fetch). */
export const OUTBOUND_REDIRECTS_MAX = 20

/** A message of `Svc.Actions.encrypt`, in UTF-8: keys and documents, which cross two process boundaries; files do not. */
export const ENCRYPTED_MESSAGE_MAX_BYTES = 64 * 1024

/** Its ciphertext: 45 bytes more (`origin/keys/wallet-cipher.ts`), in base64. */
export const CIPHERTEXT_MAX_CHARACTERS = 4 * Math.ceil((ENCRYPTED_MESSAGE_MAX_BYTES + 45) / 3)

/**
 * A request to the core API but those with source: the largest has a hundred ids and a description. Who has no key
 * could have more parsed for nothing.
 */
export const OPERATION_BODY_MAX_BYTES = 64 * 1024

/** An event of the payment processor: one has a few KiB, with all that a customer may write into it some tens. */
export const PROCESSOR_EVENT_MAX_BYTES = 1024 * 1024

/** A request with source: the largest source and the largest params, and room for their JSON. */
export const CORE_BODY_MAX_BYTES = 32 * 1024 * 1024

/** A body must arrive within this, at the edge and at the origin: a slow sender holds memory. */
export const BODY_WITHIN_MS = 60_000

/**
 * At the origin, a body of over 64 KiB must make this progress in each interval: 16 KiB a second, a third of a 3G uplink. A
 * sender that stalls gives its memory up after at most two intervals.
 */
export const BODY_STALL_MS = 10_000
export const BODY_STALL_BYTES = 160 * 1024

/**
 * A body is refused once it has come in more pieces than this, under this many bytes each on average. Node's parser spends
 * 2.5 µs of the main thread on each piece. TLS records and TCP segments are larger, and an encoder that writes a chunk for
 * every token of JSON may send some 6 KB.
 */
export const BODY_SMALL_PIECES_MAX = 1_024
export const BODY_PIECE_MIN_BYTES = 32

/**
 * Memory for bodies of over 64 KiB that are still arriving: from senders without a checked key, and from accounts or the
 * edge. One client network, or one account, has a share: four bodies of the largest size.
 */
export const KEYLESS_BODIES_BYTES = 256 * 1024 * 1024
export const ARRIVING_BODIES_BYTES = 512 * 1024 * 1024
export const ARRIVING_BODIES_SHARE_BYTES = 128 * 1024 * 1024

/** Open connections to one origin process unless `SVC_CONNECTIONS_MAX` is set: 50 KB each, and 64 KiB more for a small body. */
export const CONNECTIONS_MAX = 4_096

/**
 * Sources that one client address may have identified in a minute, free of charge: 0.2 s of a thread each for the
 * largest. A page with a hundred actions asks for each once.
 */
export const SOURCE_CIDS_PER_MINUTE = 120

/** Large sources without a key that may wait for the one thread that identifies them: each holds its body. */
export const SOURCE_CIDS_WAITING_MAX = 4

/** Ids in one permission array of a usage key or group (`decisions.md`, add_usage_api_key). */
export const PERMISSION_IDS_MAX = 50

/** Characters of a name and of a description: the contract, that counts bytes, has room for the longest of both. */
export const NAME_MAX_CHARACTERS = 256
/** 4 KB on the chain are some 3,000,000 gas, and this deployment pays them for one cent. */
export const DESCRIPTION_MAX_CHARACTERS = 1024

/** Characters of the description that an account is opened with: nobody pays for it, so it may be as long as a name. */
export const ACCOUNT_DESCRIPTION_MAX_CHARACTERS = NAME_MAX_CHARACTERS

/** The `email` of an account: 64 characters, `@`, and 255 of a domain (RFC 5321, 4.5.3.1). */
export const EMAIL_MAX_CHARACTERS = 320

/** A webhook's body: GitHub's usual payloads are far below it; larger ones get 413. */
export const WEBHOOK_BODY_MAX_BYTES = 2 * 1024 * 1024

/** A webhook's body has to be there within this: senders give up sooner, and who sends slowly holds memory meanwhile. */
export const WEBHOOK_BODY_WITHIN_MS = 30_000

/** Names in `options.pass_headers`: a sender verifies by three or four headers. */
export const PASS_HEADERS_MAX = 16

/** Fields of a webhook's form: PHP and Express stop at as many by default. */
export const FORM_FIELDS_MAX = 1_000

/** What a handshake echoes: every sender's challenge is shorter, and nobody's megabyte is reflected. */
export const HANDSHAKE_MAX_CHARACTERS = 1024

/** Storage rows hold at most this much of a body: production refuses a row of over 2 MB. */
export const BODY_PART_BYTES = 1024 * 1024

/** A trigger's source: it is stored with the trigger, in one row. */
export const TRIGGER_SOURCE_MAX_BYTES = 1024 * 1024

/** A request with a trigger: the largest source, the largest params, and room for their JSON, where every byte may be escaped. */
export const TRIGGER_BODY_MAX_BYTES = 8 * 1024 * 1024

/** Params that every run of a trigger repeats: each revision stores them, in one row with the source. */
export const DEFAULT_PARAMS_MAX_BYTES = 256 * 1024

/** Params that a list of triggers shows; larger ones only the trigger itself: a list of all of them stays below 10 MB. */
export const LISTED_PARAMS_MAX_BYTES = 8 * 1024

/** Triggers of one account: a list of all of them has an end. */
export const TRIGGERS_MAX = 1_000

/** Starts in any 60 s window of one trigger: default and upper bound. */
export const MAX_RUNS_PER_MINUTE_DEFAULT = 60
export const MAX_RUNS_PER_MINUTE_BOUND = 6_000

/** The largest `max_queued_runs`. `QUEUED_BYTES_MAX` bounds a queue of large bodies earlier. */
export const MAX_QUEUED_RUNS_BOUND = 10_000

/** The default `max_queued_runs` of webhooks. Senders such as GitHub do not redeliver what was refused. */
export const WEBHOOK_QUEUED_RUNS_DEFAULT = MAX_QUEUED_RUNS_BOUND

/**
 * The default `max_queued_runs` of other kinds. A full queue costs a chain event nothing: its logs wait on the chain. A
 * schedule that falls behind should not catch up on thousands of ticks.
 */
export const MAX_QUEUED_RUNS_DEFAULT = 100

/** Bytes that the queued bodies of one trigger may take: an object's storage holds 10 GB in production. */
export const QUEUED_BYTES_MAX = 256 * 1024 * 1024

/** Runs of one trigger that may be under way at once, unless the trigger says otherwise, and the most it may say. */
export const WEBHOOK_CONCURRENCY = 8
export const SCHEDULE_CONCURRENCY = 1
export const CONCURRENCY_MAX = 64

/** What is kept of a trigger's ended runs (`decisions.md`, Retention and Defaults): whichever comes first. */
export const HISTORY_KEPT_MS = 30 * 24 * 60 * 60 * 1000
export const HISTORY_RUNS_MAX = 10_000
export const HISTORY_BYTES_MAX = 1024 * 1024 * 1024

/** A delivery id is known for this long (`options.dedup`): senders give up repeating before. */
export const DELIVERY_KEPT_MS = 24 * 60 * 60 * 1000

/** A delivery id is kept as it is up to this, as an Idempotency-Key; of a longer one its hash. */
export const DELIVERY_ID_MAX_CHARACTERS = 255

/** The scanner looks this often (specification, Limits), and a schedule's ticks are at least as far apart. */
export const SCAN_INTERVAL_MS = 30_000
export const SCHEDULE_INTERVAL_MIN_MS = 30_000

/** A schedule's only tick that is due fires up to this late whatever was the matter: twice what the scanner needs. */
export const TICK_GRACE_MS = 2 * SCAN_INTERVAL_MS

/** Missed ticks (`decisions.md`, Ticks): the one run that they become is for a tick younger than this; `all` makes at most so many. */
export const MISSED_TICK_MAX_AGE_MS = 60 * 60 * 1000
export const MISSED_TICKS_MAX = 100

/** The longest that `GET /api/runs/<id>?wait=` waits: below the idle time-outs of common proxies. */
export const RUN_WAIT_MAX_S = 30

/** Connections of one object to the origin: production allows six, and one stays free for an alarm. */
export const ORIGIN_CONNECTIONS_PER_OBJECT = 4

/** How long `/sealed/execute` waits for the outcome before it answers `running`. */
export const EXECUTE_WAIT_MS = 5_000

/** Who changes the action of a trigger waits at most this long for what the origin says of the key that is stored. */
export const STORED_KEY_LOOK_MS = 5_000

/** The longest wait of `/sealed/outcomes`: below every proxy's idle time-out that we know of. */
export const OUTCOMES_WAIT_MS = 25_000

/** URL and headers of one request at the origin: the largest `X-Wallet-Auth`, as much again, and a URL. */
export const HEAD_MAX_BYTES = 64 * 1024

/** The head of a sealed core request or answer: method, path, query and headers, as JSON. */
export const SEALED_HEAD_MAX_BYTES = 64 * 1024

/** While a sealed core request is executed a byte is sent this often: proxies cut what is silent for a minute or two. */
export const SEALED_PAD_MS = 15_000

/** An origin that is silent for this long, four pads, does not answer any more. */
export const SEALED_SILENCE_MS = 60_000

/** A client reads no more of a sealed answer: the largest result, logs whose every character is escaped, message and stack. */
export const SEALED_ANSWER_MAX_BYTES = 4 * 1024 * 1024

/** A sealed request is good for this long: clocks differ by seconds, and the replay cache must end. */
export const SEALED_REQUEST_LIFETIME_MS = 60_000

/** A sealed request dated this far ahead is still taken: the sender's clock may be fast. */
export const SEALED_CLOCK_SKEW_MS = 30_000

/** An edge isolate asks for the origin's evidence again after this (`DESIGN.md`, Attested TLS). */
export const CHANNEL_KEY_MAX_AGE_MS = 60 * 60 * 1000

/**
 * `X-Wallet-Auth`: base64 of the largest typed data (4 KiB) and the largest signature (8 KiB, as hex), which together
 * with their JSON have less than 21 KiB. Proxies take 32 KiB of headers.
 */
export const WALLET_AUTH_MAX_CHARACTERS = 28 * 1024

/**
 * Signatures of wallets from one client network, at once and an hour over time: ten a second. Each may be a call that
 * our node makes for a contract wallet, for nothing.
 */
export const WALLET_PROOFS_BURST = 600
export const WALLET_PROOFS_PER_HOUR = 36_000

/** Wallets and usage keys that are made for one ChainSecured account, free of charge: the gas of each is its admin's. */
export const MADE_FOR_WALLETS_BURST = 300
export const MADE_FOR_WALLETS_PER_HOUR = 3_600

/** Quotes for nonces that are made at once: each keeps the platform's one quoting enclave busy for some 50 ms. */
export const QUOTES_AT_ONCE = 4

/** Quotes for nonces that one client address gets in a minute: a verification needs one. */
export const QUOTES_PER_MINUTE = 30

/**
 * Keys of actions that one client address may look up in a minute, beyond those that others have asked for: each takes half
 * a millisecond of the thread that serves everybody, and a page with a hundred actions looks up a hundred.
 */
export const ACTION_LOOK_UPS_PER_MINUTE = 300

/** A stored outcome is given again for this long (`decisions.md`, Once). */
export const OUTCOME_KEPT_MS = 24 * 60 * 60 * 1000

/** A mirror that has not heard from the chain for this long answers 503, never a guess. */
export const MIRROR_STALE_MS = 30_000

/** Blocks on top of one that make it final, unless the operator says otherwise: what large chains are trusted with. */
export const CHAIN_FINALITY_DEFAULT = 12

/** A magic link: long enough for a slow mail server, and single use. */
export const MAGIC_LINK_LIFETIME_MS = 15 * 60 * 1000

/** A browser session. */
export const SESSION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000

/** Passkeys of one account: every device and key ring of a person, and few enough to look through. */
export const PASSKEYS_MAX = 20

/** What an authenticator is given to sign, and how long a person may take to find it and touch it. */
export const PASSKEY_CHALLENGE_LIFETIME_MS = 5 * 60 * 1000

/** A session this young may add a passkey: what a session that was stolen later could stay with. */
export const RECENT_SIGN_IN_MS = 15 * 60 * 1000

/** An agent's token: absolute and idle lifetime. */
export const AGENT_TOKEN_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000
export const AGENT_TOKEN_IDLE_MS = 30 * 24 * 60 * 60 * 1000

/** A request that an agent registered: as long as a person needs to open the link and sign in. */
export const AGENT_REQUEST_LIFETIME_MS = 10 * 60 * 1000

/** It is known for a day more: its agent still hears how it ended, and nobody registers its challenge again meanwhile. */
export const AGENT_REQUEST_KEPT_MS = 24 * 60 * 60 * 1000

/** Wrong codes of one request: people mistype, and five of 2^40 guesses are none. */
export const USER_CODE_ATTEMPTS = 5

/** The shortest agent token taken: 32 random bytes in base64url; the guide asks for 48 bytes. */
export const AGENT_TOKEN_MIN_CHARACTERS = 43

/** Runs on one page of a history: default and upper bound. */
export const RUNS_PAGE_DEFAULT = 50
export const RUNS_PAGE_MAX = 100

/**
 * Bodies whose inputs one page of a history shows, in bytes: at least a full page of 64 KiB each. The object that takes the
 * trigger's events parses them, so a page of the largest would hold it up for seconds.
 */
export const LISTED_INPUTS_MAX_BYTES = 8 * 1024 * 1024

/** A write to the chain is known by its id for this long after it became final: as long as answers under a key. */
export const CHAIN_WRITE_KEPT_MS = 24 * 60 * 60 * 1000

/** Records on one page of a list of the core API (`decisions.md`, Core lists). */
export const LIST_PAGE_MAX = 200

/** An answer under an Idempotency-Key is given again for this long (`decisions.md`, idempotency). */
export const ANSWER_KEPT_MS = 24 * 60 * 60 * 1000

/** Characters of an Idempotency-Key (`decisions.md`, idempotency). */
export const IDEMPOTENCY_KEY_MAX = 255

/** Uses of keys are written down this often: `last_used_at` may be as far behind. */
export const KEY_USES_FLUSH_MS = 60_000

/** Price of a management write that sends a transaction, and of a started second of an execution (specification, Limits). */
export const WRITE_CENTS = 1
export const EXECUTION_SECOND_CENTS = 1

/** Days of a statement of charges: a month unless said, and at most a year, leap years included. */
export const USAGE_DAYS_DEFAULT = 30
export const USAGE_DAYS_MAX = 366

/**
 * Failed executions are free, for so many milliseconds in an hour for each key and action, and as long again as the key
 * has paid for in that hour (`decisions.md`, failed-execution allowance).
 */
export const FAILED_EXECUTION_MS = 60_000
export const FAILED_EXECUTION_WINDOW_MS = 60 * 60 * 1000

/**
 * All keys and actions of an account together have as much as so many of them, since a comment makes another action of
 * the same code: as many as one trigger may run at once.
 */
export const FAILED_EXECUTION_PAIRS = 64

/** The cap of a usage key: a million dollars at most, in windows from a minute, below which a rate is meant, to a leap year. */
export const SPEND_CAP_MAX_CENTS = 100_000_000
export const SPEND_WINDOW_MIN_S = 60
export const SPEND_WINDOW_MAX_S = 366 * 24 * 60 * 60

/** A payment: the specification's minimum, and the most that a mistyped amount may cost (`decisions.md`, Money). */
export const PAYMENT_MIN_CENTS = 500
export const PAYMENT_MAX_CENTS = 1_000_000

/**
 * Payments that an account may begin and not pay, since each is polled for a week. Usage keys together get two thirds
 * and one of them a third: the rest is kept for the account key and the admin wallet, so that no usage key can keep its
 * account from paying.
 */
export const UNPAID_PAYMENTS_PER_HOUR = { account: 30, usageKeys: 20, usageKey: 10 }
export const UNPAID_PAYMENTS_PER_WEEK = { account: 200, usageKeys: 140, usageKey: 70 }

/** Questions about payments, each of which is one to the processor. The same share is kept for the owner. */
export const PAYMENT_QUESTIONS_PER_MINUTE = { account: 120, usageKeys: 80 }

/** One answer of `/attestation` or `/info`: an event log with all its payloads has some 20 KB, a compose text may be as long. */
export const ATTESTATION_MAX_BYTES = 1024 * 1024

/** A quote in bytes: real ones have 5 KB, of which a certificate chain is the most. */
export const QUOTE_MAX_BYTES = 16 * 1024

/** Events of one log: a boot has some 30; an application may add to RTMR3. */
export const EVENTS_MAX = 4_096

/** One file of evidence: a certificate chain has some 6 KB. */
export const EVIDENCE_FILE_MAX_BYTES = 256 * 1024

/** Files of evidence: five, and a certificate more for each further name. */
export const EVIDENCE_FILES_MAX = 32

/** A collateral: Intel's has 19 KB; lists of revoked machines grow. */
export const COLLATERAL_MAX_BYTES = 1024 * 1024

/** CAA records of one name, and the characters of each: more than any zone has. */
export const CAA_RECORDS_MAX = 64
export const CAA_RECORD_MAX_CHARACTERS = 2_048

/** One answer of evidence has to be there within this: a fresh quote takes a second of the quoting enclave. */
export const EVIDENCE_ANSWER_MS = 15_000

/** A nonce for a fresh quote: long enough not to repeat, and at most what report data holds. */
export const NONCE_MIN_BYTES = 16
export const NONCE_MAX_BYTES = 64

/**
 * The most gas that a write to the contract may have: what EIP-7825 lets one transaction have, 2^24. The largest that
 * the limits allow needs 14,440,000 (`updateGroup`, the longest texts, 500 wallets and 500 actions by 50 others of
 * each). Above it is only `deleteAction` in an account of some 3,000 groups.
 */
export const WRITE_GAS_MAX = 16_777_216n

/** What a wallet signs for this service, as JSON text (`decisions.md`, convert_to_chain_secured_account): a sixth is usual. */
export const TYPED_DATA_MAX_BYTES = 4 * 1024

/** A wallet's signature: 65 bytes, or what a contract wallet reads; a passkey's has 700, one of thirty owners 2,000. */
export const WALLET_SIGNATURE_MAX_BYTES = 8 * 1024

/** `issuedAt` of what a wallet signed may be this far from the server's clock, either way (specification, Limits). */
export const PROOF_WINDOW_S = 300

/** Gas that a contract wallet has to judge a signature: eight P-256 checks in Solidity, and some 20 ms of our node. */
export const CONTRACT_SIGNATURE_GAS = 3_000_000

/** Contract wallets that are asked at once: nobody pays for the question but the node of this deployment. */
export const CONTRACT_SIGNATURES_AT_ONCE = 8

/** The deepest finality that a trigger may ask for in blocks: the watcher keeps that many of a chain, and more. */
export const FINALITY_DEPTH_MAX = 1_000

/** Entries of `topic_filters` (specification, Limits), and topics of one entry: geth takes 1,000 a position. */
export const TOPIC_FILTERS_MAX = 3
export const TOPICS_PER_FILTER_MAX = 100

/** Addresses, and first topics, of one question for logs: what common nodes take, geth's bound among them. */
export const LOG_QUERY_ADDRESSES_MAX = 1_000
export const LOG_QUERY_TOPICS_MAX = 1_000

/** Logs of one delivery to a trigger, and their JSON: a call between objects takes 32 MiB, and a full queue sends most back. */
export const DELIVERY_LOGS_MAX = 200
export const DELIVERY_BYTES_MAX = 1024 * 1024

/**
 * Blocks that the watcher of a chain keeps below the head: reorganisations that were seen on the chains it knows were not
 * deeper (Polygon's had 157). And the most that it keeps where a finality lags: two hours of the fastest chain.
 */
export const BLOCKS_KEPT = 256
export const BLOCKS_KEPT_MAX = 20_000
