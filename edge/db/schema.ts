/**
 * D1: who people and agents are, and the index of triggers. A trigger's truth is its object
 * (`edge/queue/schema.ts`). Times are Unix milliseconds. `docs/storage.md` says who writes what.
 */
import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  /** Lower-cased; one account for each address. */
  email: text('email').notNull().unique(),
  createdAt: integer('created_at').notNull(),
})

export const magicLinks = sqliteTable(
  'magic_links',
  {
    /** base64url of the SHA-256 of the link's secret: the secret itself is never stored. */
    secretHash: text('secret_hash').primaryKey(),
    email: text('email').notNull(),
    /** The page to go on to: a path of this site, checked when it was taken. */
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
    /** The challenge that was approved: base64url of the token's SHA-256. Bound to one user for ever. */
    challenge: text('challenge').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** What its holder calls itself, or its owner calls it; as it was shown at the approval. */
    label: text('label'),
    /** Space-separated (`shared/wire/agent.ts`, SCOPES). Tokens of before scopes have both. */
    scopes: text('scopes').notNull().default('triggers:read triggers:write'),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    expiresAt: integer('expires_at').notNull(),
    /** A revoked token stays as a tombstone, so that approving it again cannot bring it back. */
    revokedAt: integer('revoked_at'),
  },
  (table) => [index('agent_tokens_user').on(table.userId)],
)

/** What agents have registered before a person opens the link (`POST /agent/requests`). */
export const agentRequests = sqliteTable(
  'agent_requests',
  {
    id: text('id').primaryKey(),
    /** One request for a challenge: nobody registers another over it. */
    challenge: text('challenge').notNull().unique(),
    label: text('label').notNull(),
    scopes: text('scopes').notNull(),
    /** base64url of an HMAC of the request's id and the code that the person types. */
    userCodeHash: text('user_code_hash').notNull(),
    /** Wrong codes that may still be typed. */
    attemptsLeft: integer('attempts_left').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** How it ended before its time. */
    outcome: text('outcome', { enum: ['approved', 'refused', 'locked'] }),
  },
  (table) => [index('agent_requests_expires').on(table.expiresAt)],
)

export const passkeys = sqliteTable(
  'passkeys',
  {
    /** base64url, as the authenticator gives it. */
    credentialId: text('credential_id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** COSE_Key. */
    publicKey: blob('public_key', { mode: 'buffer' }).notNull(),
    /** The signature counter: one that goes back is a copied authenticator. */
    counter: integer('counter').notNull(),
    /** JSON: how a browser reaches the authenticator. */
    transports: text('transports').notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('passkeys_user').on(table.userId)],
)

/** Challenges that authenticators were given: each is good for one answer. */
export const passkeyChallenges = sqliteTable(
  'passkey_challenges',
  {
    /** base64url of the SHA-256 of the challenge. */
    challengeHash: text('challenge_hash').primaryKey(),
    purpose: text('purpose', { enum: ['register', 'sign_in'] }).notNull(),
    /** Of a registration: whose. */
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
    /** The record as the object last gave it, for lists: JSON of `TriggerRecord`. */
    record: text('record').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** The record's version: an older one never replaces it. */
    version: integer('version').notNull().default(1),
    /** Enabled schedules: when the scanner looks whether the object has fired its tick. */
    lookAt: integer('look_at'),
    /** When the scanner last compared this row with its object. */
    checkedAt: integer('checked_at').notNull().default(0),
  },
  (table) => [
    // The order of a list: a page is read from the index, and sorted by nobody.
    index('triggers_owner').on(table.ownerId, table.createdAt, table.id),
    index('triggers_look').on(table.lookAt),
    index('triggers_checked').on(table.checkedAt),
  ],
)
