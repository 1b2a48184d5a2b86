/**
 * D1 schema: people, agents, and the index of triggers. The authoritative state of a trigger is in its object
 * (`edge/queue/schema.ts`). Times are Unix milliseconds. `docs/storage.md` lists the writers of each table.
 */
import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  /** Lower case. One account per address. */
  email: text('email').notNull().unique(),
  createdAt: integer('created_at').notNull(),
})

export const magicLinks = sqliteTable(
  'magic_links',
  {
    /** base64url of the SHA-256 of the link's secret. The secret itself is never stored. */
    secretHash: text('secret_hash').primaryKey(),
    email: text('email').notNull(),
    /** Page to open after sign-in: a path of this site, validated before it was stored. */
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
    /** The approved challenge: base64url of the token's SHA-256. Bound to one user permanently. */
    challenge: text('challenge').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** Name chosen by the token's holder or by its owner, as shown at the approval. */
    label: text('label'),
    /** Space-separated (`SCOPES` in `shared/wire/agent.ts`). Tokens from before scopes existed have both. */
    scopes: text('scopes').notNull().default('triggers:read triggers:write'),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    expiresAt: integer('expires_at').notNull(),
    /** A revoked token stays as a tombstone, so that approving it again cannot bring it back. */
    revokedAt: integer('revoked_at'),
  },
  (table) => [index('agent_tokens_user').on(table.userId)],
)

/** Requests that agents register before a person opens the link (`POST /agent/requests`). */
export const agentRequests = sqliteTable(
  'agent_requests',
  {
    id: text('id').primaryKey(),
    /** Unique, so that a second request cannot be registered for the same challenge. */
    challenge: text('challenge').notNull().unique(),
    label: text('label').notNull(),
    scopes: text('scopes').notNull(),
    /** base64url of an HMAC over the request's ID and the code that the person types. */
    userCodeHash: text('user_code_hash').notNull(),
    /** Remaining attempts to enter the code. */
    attemptsLeft: integer('attempts_left').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** Outcome, if the request was decided before it expired. */
    outcome: text('outcome', { enum: ['approved', 'refused', 'locked'] }),
  },
  (table) => [index('agent_requests_expires').on(table.expiresAt)],
)

export const passkeys = sqliteTable(
  'passkeys',
  {
    /** base64url, as provided by the authenticator. */
    credentialId: text('credential_id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** Encoded as a COSE_Key. */
    publicKey: blob('public_key', { mode: 'buffer' }).notNull(),
    /** Signature counter. A decrease indicates a cloned authenticator. */
    counter: integer('counter').notNull(),
    /** JSON list of the transports by which a browser reaches the authenticator. */
    transports: text('transports').notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('passkeys_user').on(table.userId)],
)

/** Challenges issued to authenticators. Each is valid for one response. */
export const passkeyChallenges = sqliteTable(
  'passkey_challenges',
  {
    /** base64url of the SHA-256 of the challenge. */
    challengeHash: text('challenge_hash').primaryKey(),
    purpose: text('purpose', { enum: ['register', 'sign_in'] }).notNull(),
    /** The user who registers; null for a sign-in. */
    userId: text('user_id').references(() => users.id),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('passkey_challenges_expires').on(table.expiresAt)],
)

/** The local stack's mailbox; never written in production. */
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
    /** The latest record received from the trigger's object, for lists: JSON of `TriggerRecord`. */
    record: text('record').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** Version of the record. An older version never replaces a newer one. */
    version: integer('version').notNull().default(1),
    /** For enabled schedules: when the scanner checks that the object has fired its tick. */
    lookAt: integer('look_at'),
    /** When the scanner last compared this row with its object. */
    checkedAt: integer('checked_at').notNull().default(0),
  },
  (table) => [
    // Matches the order of lists, so that a page is read from the index without sorting.
    index('triggers_owner').on(table.ownerId, table.createdAt, table.id),
    index('triggers_look').on(table.lookAt),
    index('triggers_checked').on(table.checkedAt),
  ],
)
