/**
 * Schema of the origin's database, which holds only what several origin processes must agree on. `docs/storage.md`
 * describes who writes each table and how long its rows are kept.
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

/** One row per origin process. Its heartbeat shows that it still owns its claims. */
export const processes = pgTable('processes', {
  id: text('id').primaryKey(),
  startedAt: time('started_at').notNull(),
  heartbeatAt: time('heartbeat_at').notNull(),
})

/** The process that inserts a run's claim executes the run, so it runs at most once across all processes. */
export const runClaims = pgTable(
  'run_claims',
  {
    /** The account's master hash, 0x hex. */
    accountHash: text('account_hash').notNull(),
    runId: text('run_id').notNull(),
    processId: text('process_id').notNull(),
    attempt: integer('attempt').notNull(),
    claimedAt: time('claimed_at').notNull(),
    endedAt: time('ended_at'),
    /** The outcome, encrypted under a root-derived key; null while the run is in flight. */
    outcome: bytea('outcome'),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.runId] }),
    index('run_claims_run').on(table.runId),
    index('run_claims_ended').on(table.endedAt),
  ],
)

/** IDs of sealed requests that carry no run. Each is accepted once while it is fresh. */
export const replayIds = pgTable(
  'replay_ids',
  { requestId: text('request_id').primaryKey(), expiresAt: time('expires_at').notNull() },
  (table) => [index('replay_ids_expires').on(table.expiresAt)],
)

/** One row per origin process: how long it may answer from its mirror, and the block that the mirror has reached. */
export const mirrorLeases = pgTable('mirror_leases', {
  processId: text('process_id').primaryKey(),
  chain: text('chain').notNull(),
  block: bigint('block', { mode: 'number' }).notNull(),
  /** Measured by the database's clock. */
  validUntil: time('valid_until').notNull(),
})

/** The block that a process must have applied to get a lease; one row per chain and contract. */
export const mirrorRequirements = pgTable('mirror_requirements', {
  chain: text('chain').primaryKey(),
  block: bigint('block', { mode: 'number' }).notNull(),
})

/** The wallets that pay for writes. Only one process at a time may sign with each. */
export const payers = pgTable('payers', {
  /** Index in the keyring. Wallet 0 funds the others. */
  number: integer('number').primaryKey(),
  processId: text('process_id'),
  leaseUntil: time('lease_until').notNull(),
  /** A process without a payer that requests this one from a process that has several. */
  wantedBy: text('wanted_by'),
})

/**
 * The outbox of transactions. A row is written before the transaction is sent to any node, and each write ID takes
 * effect once.
 */
export const chainWrites = pgTable(
  'chain_writes',
  {
    writeId: text('write_id').primaryKey(),
    functionName: text('function_name').notNull(),
    payer: integer('payer').notNull(),
    nonce: integer('nonce').notNull(),
    /**
     * Signed transactions, 0x hex; the last one is current. They differ in fees or, if the nonce was used up on the
     * chain, in the nonce.
     */
    transactions: text('transactions').array().notNull(),
    state: text('state', { enum: ['sent', 'mined', 'final'] }).notNull(),
    processId: text('process_id').notNull(),
    createdAt: time('created_at').notNull(),
    /** Hash and block of the transaction that was mined. */
    minedHash: text('mined_hash'),
    minedBlock: integer('mined_block'),
    /** When the write became final. */
    endedAt: time('ended_at'),
  },
  (table) => [
    index('chain_writes_payer').on(table.payer, table.state),
    index('chain_writes_ended').on(table.endedAt),
  ],
)

/**
 * First responses to requests with an Idempotency-Key. The insert of a row decides which process executes the request.
 */
export const keptAnswers = pgTable(
  'kept_answers',
  {
    /** Keyed hash of account, key, method, path and Idempotency-Key, as hex. */
    id: text('id').primaryKey(),
    /** Keyed hash of the body. A different body under the same ID is rejected. */
    bodyHash: bytea('body_hash').notNull(),
    /** Writes under this ID take effect once, however often the request is executed. */
    writeId: text('write_id').notNull(),
    /**
     * The process that executes the request; null if the outcome of an execution is unknown, and it may be executed
     * again.
     */
    processId: text('process_id'),
    startedAt: time('started_at').notNull(),
    /** Status, headers and body, encrypted under a root-derived key; null until the request is answered. */
    answer: bytea('answer'),
  },
  (table) => [index('kept_answers_started').on(table.startedAt)],
)

/** Proofs that have converted an account, or are about to. Each is valid for one conversion. */
export const conversionProofs = pgTable(
  'conversion_proofs',
  {
    /** The EIP-712 digest, 0x hex. */
    digest: text('digest').primaryKey(),
    /** Write ID of the conversion that uses the proof. */
    writeId: text('write_id').notNull(),
    /** Time after which the proof is invalid by every clock. The contract remembers used proofs permanently. */
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [index('conversion_proofs_expires').on(table.expiresAt)],
)

/** Rate limit state of each caller: the time at which its full burst is available again (GCRA). */
export const callRates = pgTable(
  'call_rates',
  {
    /** Name of the limited operation, and a keyed hash of the caller. */
    id: text('id').primaryKey(),
    fullAt: time('full_at').notNull(),
  },
  (table) => [index('call_rates_full').on(table.fullAt)],
)

/** Gas that this deployment has paid for others on the current day. */
export const gasBudgets = pgTable('gas_budgets', {
  name: text('name').primaryKey(),
  /** UTC. */
  day: date('day', { mode: 'string' }).notNull(),
  spentWei: numeric('spent_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
  /** Cost of the last transaction, which is reserved for each transaction in flight. */
  lastWei: numeric('last_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
})

/** The email address with which an account was created, if one was given. */
export const accountEmails = pgTable('account_emails', {
  /** The account's master hash, 0x hex. */
  accountHash: text('account_hash').primaryKey(),
  /** Encrypted under a root-derived key. */
  email: bytea('email').notNull(),
})

/** When a key was last used, accurate to one minute. */
export const keyUses = pgTable('key_uses', {
  keyHash: text('key_hash').primaryKey(),
  usedAt: time('used_at').notNull(),
})

/**
 * Balances of accounts. The row is created when an account's credit is first requested. `balance_cents` and
 * `debt_cents` are the sums of its transfers. `leased_cents` is the sum of its leases, which are part of the balance.
 */
export const creditAccounts = pgTable(
  'credit_accounts',
  {
    /** The account's master hash, 0x hex. */
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
 * Credit that one process spends in memory. It returns to the account when the process releases it, or when the lease
 * expires.
 */
export const creditLeases = pgTable(
  'credit_leases',
  {
    id: text('id').primaryKey(),
    accountHash: text('account_hash').notNull(),
    processId: text('process_id').notNull(),
    /** Total held: reserved, spent but not settled, or free. */
    cents: cents('cents').notNull(),
    /** Reserved part of the total, as of the process's latest order. */
    reservedCents: cents('reserved_cents').notNull(),
    /** Number of the last order that was applied. A repeated order has no effect. */
    sequence: integer('sequence').notNull(),
    /** How often other processes have asked for the free part, and the latest request that was answered. */
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
 * Sub-allocations: what a lease holds of its account's other budgets, in cents under the spending cap of a key or in
 * milliseconds of the allowance for failed executions. They are deleted with their lease.
 */
export const leaseParts = pgTable(
  'lease_parts',
  {
    leaseId: text('lease_id').notNull(),
    accountHash: text('account_hash').notNull(),
    /** Name of the budget: `cap/<key hash>`, `failures`, `failures/<key hash>/<CID>`. */
    budget: text('budget').notNull(),
    /** True if there was no limit when the sub-allocation was granted. Then `held` is 0. */
    unlimited: boolean('unlimited').notNull(),
    /** In the unit of the budget: reserved, used but not settled, or free. */
    held: bigint('held', { mode: 'number' }).notNull(),
    asked: integer('asked').notNull(),
    answered: integer('answered').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.leaseId, table.budget] }),
    foreignKey({ columns: [table.leaseId], foreignColumns: [creditLeases.id] }).onDelete('cascade'),
    check('lease_parts_held', sql`${table.held} >= 0`),
    index('lease_parts_budget').on(table.accountHash, table.budget),
    // Polled by each process ten times a second, and nearly always empty.
    index('lease_parts_asked')
      .on(table.leaseId)
      .where(sql`${table.asked} > ${table.answered}`),
  ],
)

/** Amounts used in a rolling window, summed in steps. A step counts until it has completely left the window. */
export const windowSums = pgTable(
  'window_sums',
  {
    accountHash: text('account_hash').notNull(),
    /** Name of the sum: `spent/<key hash>`, `paid`, `paid/<key hash>`, `failed`, `failed/<key hash>/<CID>`. */
    series: text('series').notNull(),
    /** Start of the step. */
    step: time('step').notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    /** End of the step plus the length of the window. */
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.series, table.step] }),
    index('window_sums_expires').on(table.expiresAt),
  ],
)

/** Spending caps of usage keys in a rolling window. A key without a row has no limit. */
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

/** Charges by UTC day, key, kind and subject: sums of the ledger, written together with its rows. */
export const usageDays = pgTable(
  'usage_days',
  {
    accountHash: text('account_hash').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    keyHash: text('key_hash').notNull(),
    kind: text('kind', { enum: ['write', 'execution'] }).notNull(),
    /** The operation, or the action's CID. */
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

/** The customers that represent accounts at the payment processor. */
export const processorCustomers = pgTable('processor_customers', {
  accountHash: text('account_hash').primaryKey(),
  customerId: text('customer_id').notNull(),
  createdAt: time('created_at').notNull(),
})

/** Payments that were started. Their outcome is in the ledger. The processor is polled until a payment is final. */
export const payments = pgTable(
  'payments',
  {
    intentId: text('intent_id').primaryKey(),
    accountHash: text('account_hash').notNull(),
    /**
     * The usage key that started the payment; null if the account's owner did (with the account key or admin wallet),
     * and for payments older than this column.
     */
    usageKeyHash: text('usage_key_hash'),
    amountCents: cents('amount_cents').notNull(),
    /** State when last polled: `open`, `credited`, or `failed` (canceled or never paid). */
    state: text('state', { enum: ['open', 'credited', 'failed'] }).notNull(),
    createdAt: time('created_at').notNull(),
    /** When to poll the processor next; null if nothing more is expected. */
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
 * The double-entry ledger. Each row moves cents from one ledger account to another, so that the sum over all of them is
 * zero. Rows are only ever added: the database rejects updates and deletions.
 */
export const ledgerTransfers = pgTable(
  'ledger_transfers',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** A transfer is posted once per key: the unique constraint rejects a second row. */
    idempotencyKey: text('idempotency_key').notNull().unique(),
    /**
     * `starter`, `write`, `execution`, `payment`, `refund`, `dispute`, `reversal` (of a refund or dispute), `debt`, ...
     */
    kind: text('kind').notNull(),
    /** Ledger accounts: `credits:<hash>`, `debt:<hash>`, `revenue`, `processor`, `starter`. */
    fromAccount: text('from_account').notNull(),
    toAccount: text('to_account').notNull(),
    cents: cents('cents').notNull(),
    /** Master hash of the account that has the row on its statement. */
    accountHash: text('account_hash').notNull(),
    /**
     * For a charge: the hash of the key, the operation or the action's CID, and the number of charges summed. For a
     * payment, and for refunds and disputes of it, the subject is the processor's ID of the payment.
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
