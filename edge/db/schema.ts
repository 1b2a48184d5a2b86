/**
 * Database schema of D1: people, agents, and the index of triggers. The authoritative state of a trigger is in its
 * Durable Object (`edge/queue/schema.ts`). Times are in Unix milliseconds. `docs/storage.md` lists the code that writes
 * each table.
 */
import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  /** E-mail address in lower case. There is one account per address. */
  email: text('email').notNull().unique(),
  createdAt: integer('created_at').notNull(),
})

export const magicLinks = sqliteTable(
  'magic_links',
  {
    /** SHA-256 of the link's secret, in base64url. The secret itself is never stored. */
    secretHash: text('secret_hash').primaryKey(),
    email: text('email').notNull(),
    /** Page to open after sign-in. It is a path of this site, and is validated before it is stored. */
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
    /** Approved challenge: the SHA-256 of the token, in base64url. It is permanently bound to one user. */
    challenge: text('challenge').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** Name of the token, as shown at the approval. It is chosen by the token's holder or its owner. */
    label: text('label'),
    /**
     * Scopes of the token, separated by spaces (`SCOPES` in `shared/wire/agent.ts`). Tokens from before scopes existed
     * have both scopes.
     */
    scopes: text('scopes').notNull().default('triggers:read triggers:write'),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    expiresAt: integer('expires_at').notNull(),
    /**
     * Time of revocation, or null. The row of a revoked token is kept as a tombstone, so that the token cannot be
     * approved again.
     */
    revokedAt: integer('revoked_at'),
  },
  (table) => [index('agent_tokens_user').on(table.userId)],
)

/** Authorization requests that agents register before a person opens the link (`POST /agent/requests`). */
export const agentRequests = sqliteTable(
  'agent_requests',
  {
    id: text('id').primaryKey(),
    /** Challenge of the token. It is unique, so that a second request cannot be registered for the same challenge. */
    challenge: text('challenge').notNull().unique(),
    label: text('label').notNull(),
    scopes: text('scopes').notNull(),
    /** HMAC over the request's ID and the code that the person types, in base64url. */
    userCodeHash: text('user_code_hash').notNull(),
    /** Number of remaining attempts to enter the code. */
    attemptsLeft: integer('attempts_left').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** Outcome of the request. Null if the request was not decided before it expired. */
    outcome: text('outcome', { enum: ['approved', 'refused', 'locked'] }),
  },
  (table) => [index('agent_requests_expires').on(table.expiresAt)],
)

export const passkeys = sqliteTable(
  'passkeys',
  {
    /** Credential ID in base64url, as provided by the authenticator. */
    credentialId: text('credential_id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** Public key of the passkey, encoded as a COSE_Key. */
    publicKey: blob('public_key', { mode: 'buffer' }).notNull(),
    /** Signature counter of the authenticator. A counter that decreases indicates a cloned authenticator. */
    counter: integer('counter').notNull(),
    /** Transports by which a browser reaches the authenticator, as a JSON array. */
    transports: text('transports').notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('passkeys_user').on(table.userId)],
)

/** WebAuthn challenges issued to authenticators. Each challenge is valid for one response. */
export const passkeyChallenges = sqliteTable(
  'passkey_challenges',
  {
    /** SHA-256 of the challenge, in base64url. */
    challengeHash: text('challenge_hash').primaryKey(),
    purpose: text('purpose', { enum: ['register', 'sign_in'] }).notNull(),
    /** ID of the user who registers a passkey. Null for a sign-in. */
    userId: text('user_id').references(() => users.id),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('passkey_challenges_expires').on(table.expiresAt)],
)

/** Mailbox of the local stack. The table is never written in production. */
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
    /** Latest record received from the trigger's object, for lists. It is a `TriggerRecord` as JSON. */
    record: text('record').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** Version of the record. An older version never replaces a newer one. */
    version: integer('version').notNull().default(1),
    /** Time at which the scanner checks that an enabled schedule has fired its tick. Null for other triggers. */
    lookAt: integer('look_at'),
    /** Time at which the scanner last compared the row with the trigger's object. */
    checkedAt: integer('checked_at').notNull().default(0),
  },
  (table) => [
    // The index matches the order of lists, so that a page is read without sorting.
    index('triggers_owner').on(table.ownerId, table.createdAt, table.id),
    index('triggers_look').on(table.lookAt),
    index('triggers_checked').on(table.checkedAt),
  ],
)
