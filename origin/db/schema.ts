/**
 * The database contains only data on which several origin processes must agree. `docs/storage.md` describes each
 * table's writers and retention.
 */
import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  customType,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  type PgColumn,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { HashedEntry } from '../../shared/audit-log/entry.ts'
import type { AuditContext } from '../audit-log/context.ts'

const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })
const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const cents = (name: string) => bigint(name, { mode: 'number' })

/** Running processes. A recent heartbeat shows that a process still owns its claims and payers. */
export const processes = pgTable('processes', {
  id: text('id').primaryKey(),
  startedAt: time('started_at').notNull(),
  /** By the clock of the process. */
  heartbeatAt: time('heartbeat_at').notNull(),
  /**
   * Time at which other processes may take over this process's payers, by the database's clock. Each heartbeat extends
   * it. Null if the process runs a version from before this column.
   */
  leaseUntil: time('lease_until'),
})

/**
 * Claims of runs. The process that inserts a run's claim executes the run, so that each run is executed at most once
 * across all processes.
 */
export const runClaims = pgTable(
  'run_claims',
  {
    /** Master hash of the account, in 0x hex. */
    accountHash: text('account_hash').notNull(),
    runId: text('run_id').notNull(),
    processId: text('process_id').notNull(),
    attempt: integer('attempt').notNull(),
    claimedAt: time('claimed_at').notNull(),
    endedAt: time('ended_at'),
    /** Outcome of the run, encrypted under a root-derived key. Null until an attempt has ended. */
    outcome: bytea('outcome'),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.runId] }),
    index('run_claims_run').on(table.runId),
    index('run_claims_ended').on(table.endedAt),
  ],
)

/** IDs of recent sealed requests that do not start a run. A known ID is rejected as a replay. */
export const replayIds = pgTable(
  'replay_ids',
  { requestId: text('request_id').primaryKey(), expiresAt: time('expires_at').notNull() },
  (table) => [index('replay_ids_expires').on(table.expiresAt)],
)

/**
 * Read leases, one per origin process. A lease contains the time until which the process may respond from its in-memory
 * mirror, and the block that the mirror has reached.
 */
export const mirrorLeases = pgTable('mirror_leases', {
  processId: text('process_id').primaryKey(),
  chain: text('chain').notNull(),
  block: bigint('block', { mode: 'number' }).notNull(),
  /** Expiry of the lease, by the database's clock. */
  validUntil: time('valid_until').notNull(),
})

/** Block that a mirror must have applied before its process gets a lease, per chain and contract. */
export const mirrorRequirements = pgTable('mirror_requirements', {
  chain: text('chain').primaryKey(),
  block: bigint('block', { mode: 'number' }).notNull(),
})

/** Wallets that pay for writes. Only one process at a time may sign with each wallet. */
export const payers = pgTable('payers', {
  /** Index of the wallet in the keyring. Wallet 0 funds the other wallets. */
  number: integer('number').primaryKey(),
  processId: text('process_id'),
  /** The lease ends earlier if the lease of the process ends. */
  leaseUntil: time('lease_until').notNull(),
  /** ID of a process that has no wallet and requests this wallet. Null if no process requests the wallet. */
  wantedBy: text('wanted_by'),
})

/**
 * Outbox of contract transactions. A row is written before its transaction is sent to a node. Each write ID takes
 * effect only once.
 */
export const chainWrites = pgTable(
  'chain_writes',
  {
    writeId: text('write_id').primaryKey(),
    functionName: text('function_name').notNull(),
    payer: integer('payer').notNull(),
    nonce: integer('nonce').notNull(),
    /**
     * Signed transactions in 0x hex; the last one is current. The transactions differ in their fees or, if another
     * transaction used the nonce, in their nonces.
     */
    transactions: text('transactions').array().notNull(),
    state: text('state', { enum: ['sent', 'mined', 'final'] }).notNull(),
    processId: text('process_id').notNull(),
    createdAt: time('created_at').notNull(),
    /** Null until a transaction is mined. */
    minedHash: text('mined_hash'),
    minedBlock: integer('mined_block'),
    /** Time at which the write became final. Null until then. */
    endedAt: time('ended_at'),
    /** Context of the entry in the account's audit log. Null if the write has none. */
    audit: jsonb('audit').$type<AuditContext>(),
  },
  (table) => [
    index('chain_writes_payer').on(table.payer, table.state),
    index('chain_writes_ended').on(table.endedAt),
  ],
)

/** Responses to requests with an Idempotency-Key. The process that inserts the row executes the request. */
export const keptAnswers = pgTable(
  'kept_answers',
  {
    /** Keyed hash of the account, API key, method, path and Idempotency-Key, in hex. */
    id: text('id').primaryKey(),
    /** Keyed hash of the request body. A request with the same ID and a different body is rejected. */
    bodyHash: bytea('body_hash').notNull(),
    /** Write ID of the request. Writes with the same ID take effect once, however often the request is executed. */
    writeId: text('write_id').notNull(),
    /**
     * ID of the process that executes the request. Null if an execution's outcome is unknown and the request may be
     * executed again.
     */
    processId: text('process_id'),
    startedAt: time('started_at').notNull(),
    /** Encrypted under a root-derived key. Null until the request is answered. */
    answer: bytea('answer'),
  },
  (table) => [index('kept_answers_started').on(table.startedAt)],
)

/**
 * Wallet proofs that were used to convert an account, or are about to be used. Each proof is valid for one conversion.
 */
export const conversionProofs = pgTable(
  'conversion_proofs',
  {
    /** EIP-712 digest of the proof, in 0x hex. */
    digest: text('digest').primaryKey(),
    writeId: text('write_id').notNull(),
    /** Time after which the proof is invalid by every clock. The contract stores used proofs permanently. */
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [index('conversion_proofs_expires').on(table.expiresAt)],
)

/** GCRA rate limits. `full_at` is the time at which the caller's full burst is available again. */
export const callRates = pgTable(
  'call_rates',
  {
    /** Name of the rate-limited operation, followed by a keyed hash that identifies the caller. */
    id: text('id').primaryKey(),
    fullAt: time('full_at').notNull(),
  },
  (table) => [index('call_rates_full').on(table.fullAt)],
)

/** Gas that this deployment has paid for other parties on the current UTC day. */
export const gasBudgets = pgTable('gas_budgets', {
  name: text('name').primaryKey(),
  day: date('day', { mode: 'string' }).notNull(),
  spentWei: numeric('spent_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
  /** Cost of the last transaction in wei. This amount is reserved for each transaction in flight. */
  lastWei: numeric('last_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
})

export const accountEmails = pgTable('account_emails', {
  accountHash: text('account_hash').primaryKey(),
  /** Encrypted under a root-derived key. */
  email: bytea('email').notNull(),
})

/** Documents of wallet policies. The contract contains their hashes. */
export const walletPolicies = pgTable('wallet_policies', {
  /** Keccak-256 of the document, in 0x hex. */
  hash: text('hash').primaryKey(),
  /** Canonical JSON. */
  document: text('document').notNull(),
  createdAt: time('created_at').notNull(),
})

/** Time of the last use of each API key, accurate to one minute. */
export const keyUses = pgTable('key_uses', {
  keyHash: text('key_hash').primaryKey(),
  usedAt: time('used_at').notNull(),
})

/**
 * Credit of each account. A row is created when the account's credit is first requested. `balance_cents` and
 * `debt_cents` are the sums of the account's transfers. `leased_cents` is the sum of the account's leases, and is
 * included in the balance.
 */
export const creditAccounts = pgTable(
  'credit_accounts',
  {
    accountHash: text('account_hash').primaryKey(),
    balanceCents: cents('balance_cents').notNull(),
    leasedCents: cents('leased_cents').notNull(),
    debtCents: cents('debt_cents').notNull(),
    openedAt: time('opened_at').notNull(),
    /** Null unless an operator suspended the account. No credit is leased to it while it is suspended. */
    suspendedAt: time('suspended_at'),
  },
  (table) => [
    check('credit_accounts_no_overdraft', sql`${table.balanceCents} >= ${table.leasedCents}`),
    check('credit_accounts_leased', sql`${table.leasedCents} >= 0`),
    check('credit_accounts_debt', sql`${table.debtCents} >= 0`),
  ],
)

/**
 * Leases of credit. One process may spend a lease's credit in memory, until it releases the lease or the lease expires.
 */
export const creditLeases = pgTable(
  'credit_leases',
  {
    id: text('id').primaryKey(),
    accountHash: text('account_hash').notNull(),
    processId: text('process_id').notNull(),
    /** Leased credit in cents, including reserved, unsettled and free credit. */
    cents: cents('cents').notNull(),
    /** As of the process's latest order. */
    reservedCents: cents('reserved_cents').notNull(),
    /** Sequence number of the last order that was applied. A repeated order has no effect. */
    sequence: integer('sequence').notNull(),
    /**
     * Number of requests by other processes to return free credit, and number of the latest request that was answered.
     */
    asked: integer('asked').notNull(),
    answered: integer('answered').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    check('credit_leases_cents', sql`${table.cents} >= 0 AND ${table.reservedCents} >= 0`),
    index('credit_leases_account').on(table.accountHash),
    index('credit_leases_process').on(table.processId),
    index('credit_leases_expires').on(table.expiresAt),
  ],
)

/**
 * Sub-allocations: amounts that a lease holds of budgets other than credit. They are cents of a spending cap, or
 * milliseconds of an allowance for failed executions. Deleted together with the lease.
 */
export const leaseParts = pgTable(
  'lease_parts',
  {
    leaseId: text('lease_id').notNull(),
    accountHash: text('account_hash').notNull(),
    /** Budget name: `cap/<key hash>`, `failures` or `failures/<key hash>/<CID>`. */
    budget: text('budget').notNull(),
    /** True if the budget had no limit when the sub-allocation was granted; `held` is then 0. */
    unlimited: boolean('unlimited').notNull(),
    /** Amount in the unit of the budget, including reserved, unsettled and free amounts. */
    held: bigint('held', { mode: 'number' }).notNull(),
    asked: integer('asked').notNull(),
    answered: integer('answered').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.leaseId, table.budget] }),
    foreignKey({ columns: [table.leaseId], foreignColumns: [creditLeases.id] }).onDelete('cascade'),
    check('lease_parts_held', sql`${table.held} >= 0`),
    index('lease_parts_budget').on(table.accountHash, table.budget),
    // Each process queries the table by this index ten times a second. The index is nearly always empty.
    index('lease_parts_asked')
      .on(table.leaseId)
      .where(sql`${table.asked} > ${table.answered}`),
  ],
)

/** Amounts used within a rolling window, summed by time step. A step counts until it has completely left the window. */
export const windowSums = pgTable(
  'window_sums',
  {
    accountHash: text('account_hash').notNull(),
    /** Series name: `spent/<key hash>`, `paid`, `paid/<key hash>`, `failed` or `failed/<key hash>/<CID>`. */
    series: text('series').notNull(),
    step: time('step').notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    /** Expiry of the sum: the end of the step plus the length of the window. */
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.series, table.step] }),
    index('window_sums_expires').on(table.expiresAt),
  ],
)

/** A key without a row has no cap. */
export const spendCaps = pgTable(
  'spend_caps',
  {
    accountHash: text('account_hash').notNull(),
    keyHash: text('key_hash').notNull(),
    capCents: cents('cap_cents').notNull(),
    windowSeconds: integer('window_seconds').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.keyHash] }),
    check('spend_caps_values', sql`${table.capCents} >= 0 AND ${table.windowSeconds} > 0`),
  ],
)

/**
 * Limits of usage keys. Every process keeps a copy in memory (`origin/usage-keys/`). A row in which no limit is set
 * tells the processes that the limits were removed, and is deleted later.
 */
export const usageKeyLimits = pgTable(
  'usage_key_limits',
  {
    accountHash: text('account_hash').notNull(),
    keyHash: text('key_hash').notNull(),
    /** Versions increase in the order of the commits, so that a process reads only what changed since its last read. */
    version: bigint('version', { mode: 'number' }).notNull(),
    expiresAt: time('expires_at'),
    maxRequestsPerMinute: integer('max_requests_per_minute'),
    maxConcurrent: integer('max_concurrent'),
    /** Web origins, in the form of the `Origin` header. */
    allowedOrigins: text('allowed_origins').array(),
    /** Networks in CIDR notation. */
    allowedIps: text('allowed_ips').array(),
    /** Permits triggers to use a key that is restricted to origins or addresses. */
    allowTriggers: boolean('allow_triggers'),
    /** Permits the key to read what the account key can read. */
    canReadAccount: boolean('can_read_account'),
    updatedAt: time('updated_at').notNull(),
    /** Clock minute since the epoch in which the key was last used, and the number of requests in that minute. */
    minute: bigint('minute', { mode: 'number' }).notNull().default(0),
    requests: integer('requests').notNull().default(0),
    /** Number of runs in flight, by process. */
    running: jsonb('running').$type<Record<string, number>>().notNull().default({}),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.keyHash] }),
    index('usage_key_limits_version').on(table.version),
  ],
)

/** Sums of charges by UTC day, written in the same transaction as the ledger's rows. */
export const usageDays = pgTable(
  'usage_days',
  {
    accountHash: text('account_hash').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    keyHash: text('key_hash').notNull(),
    kind: text('kind', { enum: ['write', 'execution'] }).notNull(),
    subject: text('subject').notNull(),
    cents: cents('cents').notNull(),
    quantity: bigint('quantity', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.accountHash, table.day, table.keyHash, table.kind, table.subject],
    }),
  ],
)

export const processorCustomers = pgTable('processor_customers', {
  accountHash: text('account_hash').primaryKey(),
  customerId: text('customer_id').notNull(),
  createdAt: time('created_at').notNull(),
})

/** Payments. Their outcomes are in the ledger. The processor is polled until a payment is final. */
export const payments = pgTable(
  'payments',
  {
    intentId: text('intent_id').primaryKey(),
    accountHash: text('account_hash').notNull(),
    /**
     * Null if the owner created the payment (with the account key or an admin wallet), or if the row is older than this
     * column.
     */
    usageKeyHash: text('usage_key_hash'),
    amountCents: cents('amount_cents').notNull(),
    /** State of the payment as of the last poll. `failed` means canceled or never paid. */
    state: text('state', { enum: ['open', 'credited', 'failed'] }).notNull(),
    createdAt: time('created_at').notNull(),
    /** Time of the next poll. Null if no more changes are expected. */
    lookAt: time('look_at'),
    looks: integer('looks').notNull(),
    /** Time at which a declined attempt was first seen. Null if no attempt was declined, or a later one was not. */
    declinedAt: time('declined_at'),
    /** Time at which a dispute that withdrew money was first seen. Null if there is none, or all money was paid back. */
    disputedAt: time('disputed_at'),
  },
  (table) => [
    index('payments_account').on(table.accountHash, table.createdAt),
    index('payments_look').on(table.lookAt),
    check('payments_amount', sql`${table.amountCents} > 0`),
  ],
)

/** The double-entry ledger: all ledger accounts sum to zero. The database rejects updates and deletions. */
export const ledgerTransfers = pgTable(
  'ledger_transfers',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    idempotencyKey: text('idempotency_key').notNull().unique(),
    /**
     * Kind of transfer: `starter`, `write`, `execution`, `payment`, `refund`, `dispute`, `reversal` (of a refund or
     * dispute), `adjustment` (by an operator) or `debt`.
     */
    kind: text('kind').notNull(),
    /** Ledger account: `credits:<hash>`, `debt:<hash>`, `revenue`, `processor`, `operator` or `starter`. */
    fromAccount: text('from_account').notNull(),
    toAccount: text('to_account').notNull(),
    cents: cents('cents').notNull(),
    /** Master hash of the account whose statement lists the transfer. */
    accountHash: text('account_hash').notNull(),
    /**
     * For charges, these columns contain the key hash, the operation or action CID, and the number of combined charges.
     * For payments, refunds and disputes, the subject is the processor's ID of the payment. For adjustments, it is the
     * ID of the operator's action.
     */
    keyHash: text('key_hash'),
    subject: text('subject'),
    quantity: integer('quantity').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    check('ledger_transfers_cents', sql`${table.cents} > 0`),
    check('ledger_transfers_accounts', sql`${table.fromAccount} <> ${table.toAccount}`),
    index('ledger_transfers_statement').on(table.accountHash, table.createdAt),
    index('ledger_transfers_payment')
      .on(table.subject)
      .where(sql`${table.kind} in ('payment', 'refund', 'dispute', 'reversal')`),
  ],
)

export type TransferRow = typeof ledgerTransfers.$inferSelect

/** Audit log of operators' actions on accounts. The database rejects updates and deletions. */
export const operatorActions = pgTable('operator_actions', {
  /** Chosen by the operator, or random. Actions with the same ID are performed only once. */
  id: text('id').primaryKey(),
  /** Name of the operator, as given. */
  operator: text('operator').notNull(),
  command: text('command', {
    enum: ['suspend-account', 'resume-account', 'adjust-credit', 'erase-account-email'],
  }).notNull(),
  accountHash: text('account_hash').notNull(),
  reason: text('reason').notNull(),
  /** Adjustments only: amount added to the account's credit. Negative if it was deducted. */
  cents: cents('cents'),
  at: time('at').notNull(),
})

/**
 * Audit logs of accounts (`docs/audit-log.md`). The database rejects deletions, and updates other than the erasure of
 * `client_address`.
 */
export const auditEntries = pgTable(
  'audit_entries',
  {
    accountHash: text('account_hash').notNull(),
    /** Starts at 1 in each account, without gaps. */
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    /** Identifies the change, so that it is logged once: `write/<write ID>/done`, `ledger/<idempotency key>`. */
    sourceId: text('source_id').notNull().unique(),
    at: time('at').notNull(),
    operation: text('operation').notNull(),
    /** Members that the hash covers. */
    entry: jsonb('entry').$type<HashedEntry>().notNull(),
    details: jsonb('details').$type<Record<string, unknown>>().notNull(),
    /** Encrypted under a root-derived key. Null if it is unknown or was erased. */
    clientAddress: bytea('client_address'),
    /** SHA-256 in hex. */
    hash: text('hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountHash, table.sequence] })],
)

/** Final block up to which the events of accounts in ChainSecured mode are in their audit logs. */
export const auditCheckpoints = pgTable('audit_checkpoints', {
  /** Identifies the chain and the contract. */
  chain: text('chain').primaryKey(),
  block: bigint('block', { mode: 'number' }).notNull(),
})

/** Rolling sums of wallet policies. Amounts are added before the signature is created. */
export const policySums = pgTable(
  'policy_sums',
  {
    /** In lower case, as in `policy_signatures`. */
    pkpId: text('pkp_id').notNull(),
    /** Identifies the sum within the wallet by its name in the policy, the chain, the token and the recipient. */
    key: text('key').notNull(),
    /** Amounts by time (`sumStateSchema`). Amounts are decimal texts, because they can be 2^256 - 1. */
    state: jsonb('state').$type<unknown>().notNull(),
    /** Time at which the last amount leaves the window. */
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pkpId, table.key] }),
    index('policy_sums_expires').on(table.expiresAt),
  ],
)

/** Digests whose charges were reserved. Signing one again is not charged, because its signature may already exist. */
export const policySignatures = pgTable(
  'policy_signatures',
  {
    pkpId: text('pkp_id').notNull(),
    /** In 0x hex. */
    digest: text('digest').notNull(),
    /** Policy under which the digest was first signed, for audits. */
    policyHash: text('policy_hash').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pkpId, table.digest] }),
    index('policy_signatures_expires').on(table.expiresAt),
  ],
)

/**
 * Known timelines of the database. Postgres starts a new timeline at each restore and failover, which can lose the last
 * transactions. The migration inserts the first row.
 */
export const databaseTimelines = pgTable('database_timelines', {
  /** System identifier of the database cluster, and timeline number. */
  timeline: text('timeline').primaryKey(),
  /** Since this time, no sum can have lost an amount. The latest time of all rows applies. */
  completeSince: time('complete_since').notNull(),
})

const wei = (name: string) => numeric(name, { precision: 78, scale: 0, mode: 'bigint' })

/**
 * A wallet on a chain that sends transactions. Only the process that holds the lane signs for it, so that its nonces
 * have one owner. A lane is held while the lease of its process lasts.
 */
export const transactionLanes = pgTable(
  'transaction_lanes',
  {
    chainId: bigint('chain_id', { mode: 'number' }).notNull(),
    /** Address of the wallet in lower-case 0x hex. */
    address: text('address').notNull(),
    processId: text('process_id'),
    /** Balance in wei at the last check. Null before the first one. */
    balance: wei('balance'),
    checkedAt: time('checked_at'),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.address] })],
)

/** Condition for transactions with large data that was not executed in a final block, so that no gas was paid for it. */
export const isUnpaidData = (row: Record<'largeBytes' | 'state' | 'failureCode', PgColumn>) =>
  sql`${row.largeBytes} > 0 and ${row.state} <> 'final' and ${row.failureCode} is distinct from 'reverted'`

/** Condition for transactions that were requested outside of runs, and ended without a signature. */
export const isUnsignedRequest = (row: Record<'nonce' | 'step' | 'endedAt', PgColumn>) =>
  sql`${row.nonce} is null and ${row.step} is null and ${row.endedAt} is not null`

/**
 * Transactions of wallets. Rows are kept permanently, because the same identity must stay the same transaction. Large
 * data is removed some days after the end.
 */
export const transactions = pgTable(
  'transactions',
  {
    /** Keyed hash of the identity, such as run and step: `tx_` and 32 hex digits. */
    id: text('id').primaryKey(),
    /** Order within the lane. */
    sequence: bigint('sequence', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    /** Master hash of the account, in 0x hex. */
    accountHash: text('account_hash').notNull(),
    pkpId: text('pkp_id').notNull(),
    chainId: bigint('chain_id', { mode: 'number' }).notNull(),
    /** Address of the wallet in lower-case 0x hex. */
    address: text('address').notNull(),
    /** SHA-256 of the normalized request, in hex. The same identity with another request is rejected. */
    requestHash: text('request_hash').notNull(),
    to: text('to').notNull(),
    /** 0x hex. Empty once large data was removed. */
    data: text('data').notNull(),
    /** Bytes of data and errors. 0 if they are small, or were removed. */
    largeBytes: integer('large_bytes').notNull().default(0),
    value: wei('value').notNull(),
    /** As requested, or as estimated once it is signed. */
    gasLimit: wei('gas_limit'),
    maxFeePerGas: wei('max_fee_per_gas'),
    speed: text('speed', { enum: ['fast', 'normal', 'cheap'] }).notNull(),
    /** Signatures of the contract's errors, to decode a revert. */
    errors: text('errors').array().notNull(),
    /** Hash of the API key or admin wallet that requested it. Its rights are checked again before the signature. */
    keyHash: text('key_hash').notNull(),
    actionCid: text('action_cid').notNull(),
    runId: text('run_id'),
    step: integer('step'),
    state: text('state', {
      enum: ['queued', 'signed', 'broadcast', 'mined', 'final', 'replaced', 'cancelled', 'failed'],
    }).notNull(),
    waitingFor: text('waiting_for', { enum: ['order', 'funds', 'fees', 'nonce', 'chain'] }),
    /** Why the signer refused what the transaction waits for. */
    waitingMessage: text('waiting_message'),
    nonce: bigint('nonce', { mode: 'number' }),
    policyHash: text('policy_hash'),
    policyRule: text('policy_rule'),
    minedHash: text('mined_hash'),
    minedBlock: bigint('mined_block', { mode: 'number' }),
    minedBlockHash: text('mined_block_hash'),
    gasUsed: wei('gas_used'),
    effectiveGasPrice: wei('effective_gas_price'),
    replacedBy: text('replaced_by'),
    failureCode: text('failure_code'),
    failureMessage: text('failure_message'),
    cancelRequestedAt: time('cancel_requested_at'),
    speedUpRequestedAt: time('speed_up_requested_at'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    /** Time since which the state cannot change any more. Null until then. */
    endedAt: time('ended_at'),
  },
  (table) => [
    // Two transactions of a wallet never have the same nonce, whatever a process or a node believes.
    uniqueIndex('transactions_nonce').on(table.chainId, table.address, table.nonce),
    index('transactions_open')
      .on(table.chainId, table.address, table.sequence)
      .where(sql`${table.endedAt} is null`),
    index('transactions_account').on(table.accountHash, table.sequence),
    index('transactions_run')
      .on(table.runId)
      .where(sql`${table.runId} is not null`),
    index('transactions_unpaid_data').on(table.accountHash).where(isUnpaidData(table)),
    index('transactions_unsigned')
      .on(table.accountHash, table.endedAt)
      .where(isUnsignedRequest(table)),
    index('transactions_large')
      .on(table.endedAt)
      .where(sql`${table.largeBytes} > 0 and ${table.endedAt} is not null`),
  ],
)

/** Signed transactions. A row is committed before its bytes are sent to a node. */
export const transactionAttempts = pgTable(
  'transaction_attempts',
  {
    hash: text('hash').primaryKey(),
    transactionId: text('transaction_id')
      .notNull()
      .references(() => transactions.id),
    kind: text('kind', { enum: ['send', 'speed_up', 'cancel'] }).notNull(),
    nonce: bigint('nonce', { mode: 'number' }).notNull(),
    /** Signed bytes in 0x hex. Empty once a later attempt has replaced this one, or large data was removed. */
    raw: text('raw').notNull(),
    maxFeePerGas: wei('max_fee_per_gas').notNull(),
    maxPriorityFeePerGas: wei('max_priority_fee_per_gas').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (table) => [index('transaction_attempts_transaction').on(table.transactionId)],
)

/** Defaults of an account for transactions on a chain. */
export const transactionDefaults = pgTable(
  'transaction_defaults',
  {
    accountHash: text('account_hash').notNull(),
    chainId: bigint('chain_id', { mode: 'number' }).notNull(),
    maxFeePerGas: wei('max_fee_per_gas'),
    /** Balance below which the wallets of the account count as low. */
    lowBalance: wei('low_balance'),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountHash, table.chainId] })],
)
