/**
 * Schema of the origin's database, which contains only the data on which several origin processes must agree.
 * `docs/storage.md` describes which component writes each table and how long its rows are retained.
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
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'

const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })
const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const cents = (name: string) => bigint(name, { mode: 'number' })

/** Origin processes. The heartbeat of a process shows that it still owns its claims. */
export const processes = pgTable('processes', {
  id: text('id').primaryKey(),
  startedAt: time('started_at').notNull(),
  heartbeatAt: time('heartbeat_at').notNull(),
})

/**
 * Claims on runs. The process that inserts a run's claim executes the run, so that each run is executed at most once
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
    /** Outcome of the run, encrypted under a root-derived key. Null while the run is in flight. */
    outcome: bytea('outcome'),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.runId] }),
    index('run_claims_run').on(table.runId),
    index('run_claims_ended').on(table.endedAt),
  ],
)

/** IDs of recent sealed requests that do not start a run. A request with a known ID is rejected as a replay. */
export const replayIds = pgTable(
  'replay_ids',
  { requestId: text('request_id').primaryKey(), expiresAt: time('expires_at').notNull() },
  (table) => [index('replay_ids_expires').on(table.expiresAt)],
)

/**
 * Leases on the in-memory mirror, one per origin process: the time until which the process may answer from its mirror,
 * and the block that the mirror has reached.
 */
export const mirrorLeases = pgTable('mirror_leases', {
  processId: text('process_id').primaryKey(),
  chain: text('chain').notNull(),
  block: bigint('block', { mode: 'number' }).notNull(),
  /** Time at which the lease expires, by the database's clock. */
  validUntil: time('valid_until').notNull(),
})

/** Block that a mirror must have applied before its process gets a lease. One row per chain and contract. */
export const mirrorRequirements = pgTable('mirror_requirements', {
  chain: text('chain').primaryKey(),
  block: bigint('block', { mode: 'number' }).notNull(),
})

/** Wallets that pay for writes to the contract. Only one process at a time may sign with each wallet. */
export const payers = pgTable('payers', {
  /** Index of the wallet in the keyring. Wallet 0 funds the others. */
  number: integer('number').primaryKey(),
  processId: text('process_id'),
  leaseUntil: time('lease_until').notNull(),
  /**
   * ID of a process that has no wallet and requests this one from a process with several wallets. Null if the wallet is
   * not requested.
   */
  wantedBy: text('wanted_by'),
})

/**
 * Outbox of blockchain transactions. A row is written before its transaction is sent to a node. Each write ID takes
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
     * Signed transactions in 0x hex. The last one is the current one. The transactions differ in their fees or, if
     * another transaction used the nonce, in their nonces.
     */
    transactions: text('transactions').array().notNull(),
    state: text('state', { enum: ['sent', 'mined', 'final'] }).notNull(),
    processId: text('process_id').notNull(),
    createdAt: time('created_at').notNull(),
    /** Hash and block number of the mined transaction. Null until a transaction is mined. */
    minedHash: text('mined_hash'),
    minedBlock: integer('mined_block'),
    /** Time at which the write became final. Null until then. */
    endedAt: time('ended_at'),
  },
  (table) => [
    index('chain_writes_payer').on(table.payer, table.state),
    index('chain_writes_ended').on(table.endedAt),
  ],
)

/**
 * Stored responses to requests with an Idempotency-Key. The process that inserts the row of a request executes the
 * request.
 */
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
     * ID of the process that executes the request. Null if the outcome of an execution is unknown and the request may
     * be executed again.
     */
    processId: text('process_id'),
    startedAt: time('started_at').notNull(),
    /**
     * Status, headers and body of the response, encrypted under a root-derived key. Null until the request is answered.
     */
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
    /** Write ID of the conversion that uses the proof. */
    writeId: text('write_id').notNull(),
    /**
     * Time after which the proof is invalid by every clock. The row may then be deleted, because the contract stores
     * used proofs permanently.
     */
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [index('conversion_proofs_expires').on(table.expiresAt)],
)

/** Rate limits of callers (GCRA). `full_at` is the time at which the caller's full burst is available again. */
export const callRates = pgTable(
  'call_rates',
  {
    /** Name of the limited operation, followed by a keyed hash of the caller. */
    id: text('id').primaryKey(),
    fullAt: time('full_at').notNull(),
  },
  (table) => [index('call_rates_full').on(table.fullAt)],
)

/** Gas that this deployment has paid for other parties on the current day. */
export const gasBudgets = pgTable('gas_budgets', {
  name: text('name').primaryKey(),
  /** UTC day to which the spent amount refers. */
  day: date('day', { mode: 'string' }).notNull(),
  spentWei: numeric('spent_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
  /** Cost of the last transaction in wei. This amount is reserved for each transaction in flight. */
  lastWei: numeric('last_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
})

/** Email addresses that were given when accounts were created. */
export const accountEmails = pgTable('account_emails', {
  /** Master hash of the account, in 0x hex. */
  accountHash: text('account_hash').primaryKey(),
  /** Email address, encrypted under a root-derived key. */
  email: bytea('email').notNull(),
})

/** Time of the last use of each key, accurate to one minute. */
export const keyUses = pgTable('key_uses', {
  keyHash: text('key_hash').primaryKey(),
  usedAt: time('used_at').notNull(),
})

/**
 * Balances of accounts. The row is created when an account's credit is first requested. `balance_cents` and
 * `debt_cents` are the sums of the account's transfers. `leased_cents` is the sum of the account's leases, and is
 * included in the balance.
 */
export const creditAccounts = pgTable(
  'credit_accounts',
  {
    /** Master hash of the account, in 0x hex. */
    accountHash: text('account_hash').primaryKey(),
    balanceCents: cents('balance_cents').notNull(),
    leasedCents: cents('leased_cents').notNull(),
    debtCents: cents('debt_cents').notNull(),
    openedAt: time('opened_at').notNull(),
  },
  (table) => [
    check('credit_accounts_no_overdraft', sql`${table.balanceCents} >= ${table.leasedCents}`),
    check('credit_accounts_leased', sql`${table.leasedCents} >= 0`),
    check('credit_accounts_debt', sql`${table.debtCents} >= 0`),
  ],
)

/**
 * Leases: credit that one process may spend in memory. The credit returns to the account when the process releases it,
 * or when the lease expires.
 */
export const creditLeases = pgTable(
  'credit_leases',
  {
    id: text('id').primaryKey(),
    accountHash: text('account_hash').notNull(),
    processId: text('process_id').notNull(),
    /** Total leased amount. It may be reserved, spent but not settled, or free. */
    cents: cents('cents').notNull(),
    /** Reserved part of the total, as reported in the process's latest order. */
    reservedCents: cents('reserved_cents').notNull(),
    /** Sequence number of the last order that was applied. A repeated order has no effect. */
    sequence: integer('sequence').notNull(),
    /**
     * Number of requests by other processes to return free credit, and the number of the latest request that was
     * answered.
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
 * Sub-allocations: amounts that a lease holds of the account's budgets other than credit. A spending cap is counted in
 * cents, and an allowance for failed executions in milliseconds. Sub-allocations are deleted together with their lease.
 */
export const leaseParts = pgTable(
  'lease_parts',
  {
    leaseId: text('lease_id').notNull(),
    accountHash: text('account_hash').notNull(),
    /** Name of the budget: `cap/<key hash>`, `failures` or `failures/<key hash>/<CID>`. */
    budget: text('budget').notNull(),
    /** True if the budget had no limit when the sub-allocation was granted. In this case, `held` is 0. */
    unlimited: boolean('unlimited').notNull(),
    /** Held amount in the unit of the budget. It may be reserved, used but not settled, or free. */
    held: bigint('held', { mode: 'number' }).notNull(),
    asked: integer('asked').notNull(),
    answered: integer('answered').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.leaseId, table.budget] }),
    foreignKey({ columns: [table.leaseId], foreignColumns: [creditLeases.id] }).onDelete('cascade'),
    check('lease_parts_held', sql`${table.held} >= 0`),
    index('lease_parts_budget').on(table.accountHash, table.budget),
    // Index for a query that each process makes ten times a second. The index is nearly always empty.
    index('lease_parts_asked')
      .on(table.leaseId)
      .where(sql`${table.asked} > ${table.answered}`),
  ],
)

/** Amounts used within a rolling window, summed in steps. A step is counted until it has completely left the window. */
export const windowSums = pgTable(
  'window_sums',
  {
    accountHash: text('account_hash').notNull(),
    /** Name of the sum: `spent/<key hash>`, `paid`, `paid/<key hash>`, `failed` or `failed/<key hash>/<CID>`. */
    series: text('series').notNull(),
    /** Time at which the step starts. */
    step: time('step').notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    /** Time at which the step leaves the window: the end of the step plus the length of the window. */
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.series, table.step] }),
    index('window_sums_expires').on(table.expiresAt),
  ],
)

/** Spending caps of usage keys, each for a rolling window. A key without a row has no cap. */
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

/** Charges, summed by UTC day, key, kind and subject. Written in the same transaction as the ledger's rows. */
export const usageDays = pgTable(
  'usage_days',
  {
    accountHash: text('account_hash').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    keyHash: text('key_hash').notNull(),
    kind: text('kind', { enum: ['write', 'execution'] }).notNull(),
    /** Name of the operation, or the action's CID. */
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

/** Customers at the payment processor. Each represents one account. */
export const processorCustomers = pgTable('processor_customers', {
  accountHash: text('account_hash').primaryKey(),
  customerId: text('customer_id').notNull(),
  createdAt: time('created_at').notNull(),
})

/** Payments that were created. Their outcomes are in the ledger. The processor is polled until a payment is final. */
export const payments = pgTable(
  'payments',
  {
    intentId: text('intent_id').primaryKey(),
    accountHash: text('account_hash').notNull(),
    /**
     * Hash of the usage key that created the payment. Null if the owner created it (with the account key or admin
     * wallet), or if the payment is older than this column.
     */
    usageKeyHash: text('usage_key_hash'),
    amountCents: cents('amount_cents').notNull(),
    /** State of the payment when it was last polled: `open`, `credited`, or `failed` (canceled or never paid). */
    state: text('state', { enum: ['open', 'credited', 'failed'] }).notNull(),
    createdAt: time('created_at').notNull(),
    /** Time of the next poll of the processor. Null if no more changes are expected. */
    lookAt: time('look_at'),
    looks: integer('looks').notNull(),
  },
  (table) => [
    index('payments_account').on(table.accountHash, table.createdAt),
    index('payments_look').on(table.lookAt),
    check('payments_amount', sql`${table.amountCents} > 0`),
  ],
)

/**
 * The double-entry ledger. Each row moves cents from one ledger account to another, so that all ledger accounts sum to
 * zero. Rows are never changed: the database rejects updates and deletions.
 */
export const ledgerTransfers = pgTable(
  'ledger_transfers',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Unique key of the transfer. The unique constraint prevents a transfer from being posted twice. */
    idempotencyKey: text('idempotency_key').notNull().unique(),
    /**
     * Kind of transfer: `starter`, `write`, `execution`, `payment`, `refund`, `dispute`, `reversal` (of a refund or
     * dispute) or `debt`.
     */
    kind: text('kind').notNull(),
    /** Names of the two ledger accounts: `credits:<hash>`, `debt:<hash>`, `revenue`, `processor` or `starter`. */
    fromAccount: text('from_account').notNull(),
    toAccount: text('to_account').notNull(),
    cents: cents('cents').notNull(),
    /** Master hash of the account that lists the transfer in its statement. */
    accountHash: text('account_hash').notNull(),
    /**
     * Details of a charge: the hash of the key, the operation or the action's CID, and the number of combined charges.
     * For payments, refunds and disputes, the subject is the processor's ID of the payment.
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
