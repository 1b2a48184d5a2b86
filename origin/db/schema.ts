/**
 * The origin's database: what several origin processes must agree on, and nothing else. `docs/storage.md` says who writes
 * what and for how long.
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

/** One row for each origin process; its heartbeat says that the claims it holds are still its own. */
export const processes = pgTable('processes', {
  id: text('id').primaryKey(),
  startedAt: time('started_at').notNull(),
  heartbeatAt: time('heartbeat_at').notNull(),
})

/** A run is executed by who inserts its claim, so at most once at any number of processes. */
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
    /** The outcome, encrypted under a root-derived key; null while the run is under way. */
    outcome: bytea('outcome'),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.runId] }),
    index('run_claims_run').on(table.runId),
    index('run_claims_ended').on(table.endedAt),
  ],
)

/** Ids of sealed requests that carry no run: each is taken once while it is fresh. */
export const replayIds = pgTable(
  'replay_ids',
  { requestId: text('request_id').primaryKey(), expiresAt: time('expires_at').notNull() },
  (table) => [index('replay_ids_expires').on(table.expiresAt)],
)

/** One row for each origin process: until when it may answer by its mirror, and the block that is in it. */
export const mirrorLeases = pgTable('mirror_leases', {
  processId: text('process_id').primaryKey(),
  chain: text('chain').notNull(),
  block: bigint('block', { mode: 'number' }).notNull(),
  /** By the database's clock. */
  validUntil: time('valid_until').notNull(),
})

/** The block that a process must have applied to be given a lease; one row for each chain and contract. */
export const mirrorRequirements = pgTable('mirror_requirements', {
  chain: text('chain').primaryKey(),
  block: bigint('block', { mode: 'number' }).notNull(),
})

/** The wallets that pay for writes; one process at a time may sign with each. */
export const payers = pgTable('payers', {
  /** Which one of the keyring; 0 pays the others. */
  number: integer('number').primaryKey(),
  processId: text('process_id'),
  leaseUntil: time('lease_until').notNull(),
  /** A process that has no payer, and would take this one of a process that has several. */
  wantedBy: text('wanted_by'),
})

/** The outbox: a transaction is a row before any node hears of it, and its write id never gets a second effect. */
export const chainWrites = pgTable(
  'chain_writes',
  {
    writeId: text('write_id').primaryKey(),
    functionName: text('function_name').notNull(),
    payer: integer('payer').notNull(),
    nonce: integer('nonce').notNull(),
    /** Signed, 0x hex, the last one current; they differ in fees or, where the chain used the nonce up, in the nonce. */
    transactions: text('transactions').array().notNull(),
    state: text('state', { enum: ['sent', 'mined', 'final'] }).notNull(),
    /** Who recorded it. */
    processId: text('process_id').notNull(),
    createdAt: time('created_at').notNull(),
    /** Which of its transactions is in the chain, and where. */
    minedHash: text('mined_hash'),
    minedBlock: integer('mined_block'),
    /** When it became final. */
    endedAt: time('ended_at'),
  },
  (table) => [
    index('chain_writes_payer').on(table.payer, table.state),
    index('chain_writes_ended').on(table.endedAt),
  ],
)

/** The first answers of requests with an Idempotency-Key: the insert of a row decides who executes the request. */
export const keptAnswers = pgTable(
  'kept_answers',
  {
    /** Keyed hash of account, key, method, path and Idempotency-Key, hex. */
    id: text('id').primaryKey(),
    /** Keyed hash of the body: another one under the same id is refused. */
    bodyHash: bytea('body_hash').notNull(),
    /** What is written under it is written once, however often the request is executed. */
    writeId: text('write_id').notNull(),
    /** Who executes it; null where what became of an execution is not known, and it may be executed again. */
    processId: text('process_id'),
    startedAt: time('started_at').notNull(),
    /** Status, headers and body, encrypted under a root-derived key; null until the request is answered. */
    answer: bytea('answer'),
  },
  (table) => [index('kept_answers_started').on(table.startedAt)],
)

/** Proofs that converted an account, or are about to: each is good for one conversion. */
export const conversionProofs = pgTable(
  'conversion_proofs',
  {
    /** The EIP-712 digest, 0x hex. */
    digest: text('digest').primaryKey(),
    /** Of the conversion that it is used for. */
    writeId: text('write_id').notNull(),
    /** When no clock takes the proof for valid any more. The contract knows it for ever. */
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [index('conversion_proofs_expires').on(table.expiresAt)],
)

/** When each client network has used up its calls: the theoretical arrival time of GCRA. */
export const callRates = pgTable(
  'call_rates',
  {
    /** What is limited, and a keyed hash of who calls. */
    id: text('id').primaryKey(),
    fullAt: time('full_at').notNull(),
  },
  (table) => [index('call_rates_full').on(table.fullAt)],
)

/** What this deployment has spent on gas for others on a day. */
export const gasBudgets = pgTable('gas_budgets', {
  name: text('name').primaryKey(),
  /** UTC. */
  day: date('day', { mode: 'string' }).notNull(),
  spentWei: numeric('spent_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
  /** What the last one cost: reserved for each that is under way. */
  lastWei: numeric('last_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
})

/** The e-mail address that an account was created with, where one was given. */
export const accountEmails = pgTable('account_emails', {
  /** The account's master hash, 0x hex. */
  accountHash: text('account_hash').primaryKey(),
  /** Encrypted under a root-derived key. */
  email: bytea('email').notNull(),
})

/** When a key was last used; at most a minute behind. */
export const keyUses = pgTable('key_uses', {
  keyHash: text('key_hash').primaryKey(),
  usedAt: time('used_at').notNull(),
})

/**
 * What an account has: a row from the first time that its credit is asked for. `balance_cents` and `debt_cents` are
 * the sums of its transfers; `leased_cents` the sum of its leases, which are part of the balance.
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

/** Credit that one process spends in memory. It goes back when its process gives it back, or lets it expire. */
export const creditLeases = pgTable(
  'credit_leases',
  {
    id: text('id').primaryKey(),
    accountHash: text('account_hash').notNull(),
    processId: text('process_id').notNull(),
    /** What is held: reserved, spent and not yet settled, or free. */
    cents: cents('cents').notNull(),
    /** Of these, reserved when the process last said so. */
    reservedCents: cents('reserved_cents').notNull(),
    /** Number of the last order that was carried out: one that is sent again does nothing. */
    sequence: integer('sequence').notNull(),
    /** How often other processes have asked for what is free of it, and up to which question it was given back. */
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
 * What a lease holds of the other budgets of its account: cents that a key may spend under its cap, milliseconds that
 * failed executions may take. A part goes with its lease.
 */
export const leaseParts = pgTable(
  'lease_parts',
  {
    leaseId: text('lease_id').notNull(),
    accountHash: text('account_hash').notNull(),
    /** Which budget: `cap/<key hash>`, `failures`, `failures/<key hash>/<CID>`. */
    budget: text('budget').notNull(),
    /** True where there was no limit when the part was given: then `held` is 0. */
    unlimited: boolean('unlimited').notNull(),
    /** In the unit of the budget: reserved, used and not yet settled, or free. */
    held: bigint('held', { mode: 'number' }).notNull(),
    asked: integer('asked').notNull(),
    answered: integer('answered').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.leaseId, table.budget] }),
    foreignKey({ columns: [table.leaseId], foreignColumns: [creditLeases.id] }).onDelete('cascade'),
    check('lease_parts_held', sql`${table.held} >= 0`),
    index('lease_parts_budget').on(table.accountHash, table.budget),
    // Looked at ten times a second by each process, and nearly always empty.
    index('lease_parts_asked')
      .on(table.leaseId)
      .where(sql`${table.asked} > ${table.answered}`),
  ],
)

/** What was used of a rolling window, in steps of the window: a step counts until all of it has left the window. */
export const windowSums = pgTable(
  'window_sums',
  {
    accountHash: text('account_hash').notNull(),
    /** What is summed: `spent/<key hash>`, `paid`, `paid/<key hash>`, `failed`, `failed/<key hash>/<CID>`. */
    series: text('series').notNull(),
    /** Begin of the step. */
    step: time('step').notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    /** End of the step, and the window after it. */
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountHash, table.series, table.step] }),
    index('window_sums_expires').on(table.expiresAt),
  ],
)

/** What a usage key may spend in a rolling window; no row, no limit. */
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

/** What was charged, by UTC day, key and what it was for: sums of the ledger, written with its rows. */
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

/** Who an account is to the payment processor. */
export const processorCustomers = pgTable('processor_customers', {
  accountHash: text('account_hash').primaryKey(),
  customerId: text('customer_id').notNull(),
  createdAt: time('created_at').notNull(),
})

/** Payments that were begun. What has come of one is in the ledger; the processor is asked again until it has ended. */
export const payments = pgTable(
  'payments',
  {
    /** The processor's id of the payment intent. */
    intentId: text('intent_id').primaryKey(),
    accountHash: text('account_hash').notNull(),
    /**
     * The key that began it, where that was not the account's owner (its account key or admin wallet). Null as well for
     * payments from before this column.
     */
    usageKeyHash: text('usage_key_hash'),
    amountCents: cents('amount_cents').notNull(),
    /** As it was last seen: `open`, `credited`, `failed` (canceled, or never paid). */
    state: text('state', { enum: ['open', 'credited', 'failed'] }).notNull(),
    createdAt: time('created_at').notNull(),
    /** When to ask the processor next; null where nothing more is expected. */
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
 * The ledger. Double entry: each row takes from one account of the books what it gives to another, so that the sum
 * over all of them is zero. Rows are only ever added: the database refuses to change or remove one.
 */
export const ledgerTransfers = pgTable(
  'ledger_transfers',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** What may happen once: a second row under the same key is not taken. */
    idempotencyKey: text('idempotency_key').notNull().unique(),
    /** `starter`, `write`, `execution`, `payment`, `refund`, `dispute`, `reversal` (of these two), `debt`, ... */
    kind: text('kind').notNull(),
    /** Accounts of the books: `credits:<hash>`, `debt:<hash>`, `revenue`, `processor`, `starter`. */
    fromAccount: text('from_account').notNull(),
    toAccount: text('to_account').notNull(),
    cents: cents('cents').notNull(),
    /** Whose statement the row is on: the account's master hash. */
    accountHash: text('account_hash').notNull(),
    /**
     * Of a charge: the hash of the key that was used, the operation or the action's CID, and how many were summed. Of a
     * payment, and of what was taken back of it: the processor's id of the payment as the subject.
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
