/**
 * The authoritative state of a trigger is in its Durable Object (`edge/queue/schema.ts`). Times are in Unix
 * milliseconds. `docs/storage.md` lists the code that writes each table.
 */
import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  /** Lower case. There is one account per address. */
  email: text('email').notNull().unique(),
  createdAt: integer('created_at').notNull(),
})

export const magicLinks = sqliteTable(
  'magic_links',
  {
    /** SHA-256 of the link's secret, in base64url. The secret is never stored. */
    secretHash: text('secret_hash').primaryKey(),
    email: text('email').notNull(),
    /** Path to open after sign-in, validated before it is stored. */
    next: text('next').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
  },
  (table) => [index('magic_links_expires').on(table.expiresAt)],
)

export const sessions = sqliteTable(
  'sessions',
  {
    secretHash: text('secret_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    index('sessions_user').on(table.userId),
    index('sessions_expires').on(table.expiresAt),
  ],
)

export const agentTokens = sqliteTable(
  'agent_tokens',
  {
    /** SHA-256 of the token, in base64url. Permanently bound to one user. */
    challenge: text('challenge').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** Name shown at the approval, chosen by the token's holder or its owner. */
    label: text('label'),
    /** `SCOPES` of `shared/wire/agent.ts`, separated by spaces. Tokens from before scopes existed have both. */
    scopes: text('scopes').notNull().default('triggers:read triggers:write'),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    expiresAt: integer('expires_at').notNull(),
    /** A revoked token's row is kept as a tombstone, so that the token cannot be approved again. */
    revokedAt: integer('revoked_at'),
  },
  (table) => [index('agent_tokens_user').on(table.userId)],
)

/** Registered by agents before a person opens the link (`POST /agent/requests`). */
export const agentRequests = sqliteTable(
  'agent_requests',
  {
    id: text('id').primaryKey(),
    /** Unique, so that a second request cannot be registered for the same challenge. */
    challenge: text('challenge').notNull().unique(),
    label: text('label').notNull(),
    scopes: text('scopes').notNull(),
    /** HMAC over the request's ID and the code that the person types, in base64url. */
    userCodeHash: text('user_code_hash').notNull(),
    attemptsLeft: integer('attempts_left').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** Null if the request was not decided before it expired. */
    outcome: text('outcome', { enum: ['approved', 'refused', 'locked'] }),
  },
  (table) => [index('agent_requests_expires').on(table.expiresAt)],
)

export const passkeys = sqliteTable(
  'passkeys',
  {
    credentialId: text('credential_id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** COSE_Key. */
    publicKey: blob('public_key', { mode: 'buffer' }).notNull(),
    /** Signature counter. A counter that decreases indicates a cloned authenticator. */
    counter: integer('counter').notNull(),
    /** JSON array. */
    transports: text('transports').notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('passkeys_user').on(table.userId)],
)

/** Each challenge is valid for one response. */
export const passkeyChallenges = sqliteTable(
  'passkey_challenges',
  {
    /** SHA-256, in base64url. */
    challengeHash: text('challenge_hash').primaryKey(),
    purpose: text('purpose', { enum: ['register', 'sign_in'] }).notNull(),
    /** Null for a sign-in. */
    userId: text('user_id').references(() => users.id),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('passkey_challenges_expires').on(table.expiresAt)],
)

/** Never written in production. */
export const localMailbox = sqliteTable('local_mailbox', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  recipient: text('recipient').notNull(),
  subject: text('subject').notNull(),
  text: text('text').notNull(),
  sentAt: integer('sent_at').notNull(),
})

export const triggers = sqliteTable(
  'triggers',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id),
    kind: text('kind', { enum: ['webhook', 'schedule', 'chain_event'] }).notNull(),
    /** Latest `TriggerRecord` from the trigger's object, as JSON, for lists. */
    record: text('record').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** An older version never replaces a newer one. */
    version: integer('version').notNull().default(1),
    /** Time at which the scanner checks that a schedule's tick has fired. Null for other triggers. */
    lookAt: integer('look_at'),
    /** Time at which the scanner last compared the row with the trigger's object. */
    checkedAt: integer('checked_at').notNull().default(0),
  },
  (table) => [
    // Matches the order of lists, so that a page is read without sorting.
    index('triggers_owner').on(table.ownerId, table.createdAt, table.id),
    index('triggers_look').on(table.lookAt),
    index('triggers_checked').on(table.checkedAt),
  ],
)
