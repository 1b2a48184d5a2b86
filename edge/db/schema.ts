/**
 * Database schema of the edge (D1). The authoritative state of each trigger is in its Durable Object
 * (`edge/queue/schema.ts`). Times are in Unix milliseconds. `docs/storage.md` lists the code that writes each table.
 */
import { sql } from 'drizzle-orm'
import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { TRIGGER_LOG_ACTORS } from '../../shared/wire/trigger-log.ts'

export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  /**
   * E-mail address in lower case. Each address has at most one account. If the row was lost and a trigger's object has
   * restored it, this is the user's ID, until the user signs in again.
   */
  email: text('email').notNull().unique(),
  createdAt: integer('created_at').notNull(),
})

export const magicLinks = sqliteTable(
  'magic_links',
  {
    /** SHA-256 of the magic link's secret, in base64url. The secret itself is never stored. */
    secretHash: text('secret_hash').primaryKey(),
    email: text('email').notNull(),
    /** Path of the page to open after sign-in. Validated before it is stored. */
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
    /** SHA-256 of the token, in base64url. A challenge is permanently bound to one user. */
    challenge: text('challenge').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** Name of the token, chosen by the agent or by the account's owner. */
    label: text('label'),
    /**
     * Scopes from `SCOPES` in `shared/wire/agent.ts`, separated by spaces. The default applies to tokens that were
     * created before scopes existed.
     */
    scopes: text('scopes').notNull().default('triggers:read triggers:write'),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    expiresAt: integer('expires_at').notNull(),
    /** The row of a revoked token is never deleted, so that the token cannot be approved again. */
    revokedAt: integer('revoked_at'),
  },
  (table) => [index('agent_tokens_user').on(table.userId)],
)

/**
 * SQL condition: the request was created by an OAuth client for a device. SQLite uses the index of user codes only for
 * queries with the same condition.
 */
export const DEVICE_REQUEST = 'client_id IS NOT NULL'

/**
 * Authorization requests that programs register before a person opens the link (`POST /agent/requests`, `POST
 * /oauth/device_authorization`).
 */
export const agentRequests = sqliteTable(
  'agent_requests',
  {
    id: text('id').primaryKey(),
    /**
     * SHA-256 of the agent's token, or of the device code with a prefix. Unique, so that a second request cannot be
     * registered for the same challenge.
     */
    challenge: text('challenge').notNull().unique(),
    label: text('label').notNull(),
    scopes: text('scopes').notNull(),
    /** HMAC of the request's ID and the user code, in base64url. Without the ID for a device code. */
    userCodeHash: text('user_code_hash').notNull(),
    attemptsLeft: integer('attempts_left').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** Null while the request is open, or if it expired without a decision. */
    outcome: text('outcome', { enum: ['approved', 'refused', 'locked'] }),
    /** OAuth client that requested a device code. Null for a request of an agent. */
    clientId: text('client_id'),
  },
  (table) => [
    index('agent_requests_expires').on(table.expiresAt),
    index('agent_requests_device').on(table.userCodeHash).where(sql.raw(DEVICE_REQUEST)),
  ],
)

/** OAuth grants: what a person authorized a client to do. Tokens are bound to the remote MCP server. */
export const oauthGrants = sqliteTable(
  'oauth_grants',
  {
    /** Contained in the grant's code and tokens. The ID of the request if a device code was approved. */
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** URL of the client's metadata document. */
    clientId: text('client_id').notNull(),
    clientName: text('client_name').notNull(),
    /** Empty, like the hash and the challenge of the code, if a device code was approved. */
    redirectUri: text('redirect_uri').notNull(),
    scopes: text('scopes').notNull(),
    /** SHA-256 of the secret of the authorization code, in base64url. */
    codeHash: text('code_hash').notNull(),
    /** PKCE challenge, in base64url. */
    codeChallenge: text('code_challenge').notNull(),
    codeUsedAt: integer('code_used_at'),
    /** SHA-256 of the secrets of the current tokens. Null until the code is exchanged. */
    accessHash: text('access_hash'),
    accessExpiresAt: integer('access_expires_at'),
    refreshHash: text('refresh_hash'),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    /** End of the code until it is exchanged, then of the refresh token. */
    expiresAt: integer('expires_at').notNull(),
    revokedAt: integer('revoked_at'),
  },
  (table) => [
    index('oauth_grants_user').on(table.userId),
    index('oauth_grants_expires').on(table.expiresAt),
  ],
)

export const passkeys = sqliteTable(
  'passkeys',
  {
    credentialId: text('credential_id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** Public key in the COSE_Key format. */
    publicKey: blob('public_key', { mode: 'buffer' }).notNull(),
    /** The authenticator's signature counter. If the counter decreases, the authenticator may have been cloned. */
    counter: integer('counter').notNull(),
    /** WebAuthn transports, as a JSON array. */
    transports: text('transports').notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [index('passkeys_user').on(table.userId)],
)

export const passkeyChallenges = sqliteTable(
  'passkey_challenges',
  {
    /** SHA-256 of the challenge, in base64url. */
    challengeHash: text('challenge_hash').primaryKey(),
    purpose: text('purpose', { enum: ['register', 'sign_in'] }).notNull(),
    /** Null for a sign-in challenge, because the user is not known yet. */
    userId: text('user_id').references(() => users.id),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('passkey_challenges_expires').on(table.expiresAt)],
)

/** Usage keys of accounts that people have linked, for the console (docs/decisions/0155). */
export const linkedAccounts = sqliteTable(
  'linked_accounts',
  {
    /** `acct_` and 16 random bytes in base64url. */
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** Usage key, encrypted to the origin for this link and owner. The edge cannot decrypt it. */
    sealedUsageKey: blob('sealed_usage_key', { mode: 'buffer' }).notNull(),
    /** Hashes of the usage key and of its account, as on the chain. */
    keyHash: text('key_hash').notNull(),
    accountHash: text('account_hash').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Time at which the owner last opened the account in the console. */
    openedAt: integer('opened_at').notNull(),
  },
  (table) => [index('linked_accounts_owner').on(table.ownerId)],
)

/** People with whom an account link is shared, and invitations. */
export const accountShares = sqliteTable(
  'account_shares',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => linkedAccounts.id),
    /** Address of the invited person, in lower case. */
    email: text('email').notNull(),
    /** User who accepted the invitation. Null until then. */
    userId: text('user_id').references(() => users.id),
    scope: text('scope', { enum: ['view', 'run', 'manage'] }).notNull(),
    invitedAt: integer('invited_at').notNull(),
    acceptedAt: integer('accepted_at'),
    /** Time at which this person last opened the account in the console. */
    openedAt: integer('opened_at'),
  },
  (table) => [
    uniqueIndex('account_shares_email').on(table.accountId, table.email),
    index('account_shares_invited').on(table.email),
    index('account_shares_user').on(table.userId),
  ],
)

/** Mail of a local stack. This table is never written in production. */
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
    /** Latest `TriggerRecord` reported by the trigger's Durable Object, as JSON. Lists are rendered from this copy. */
    record: text('record').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** Version of the record. An older version never replaces a newer one. */
    version: integer('version').notNull().default(1),
    /** Time at which the scanner checks whether a schedule has fired. Null for other kinds of triggers. */
    lookAt: integer('look_at'),
    /** Time at which the scanner last compared this row with the trigger's Durable Object. */
    checkedAt: integer('checked_at').notNull().default(0),
  },
  (table) => [
    // The index matches the sort order of trigger lists, so that a page can be read without sorting.
    index('triggers_owner').on(table.ownerId, table.createdAt, table.id),
    index('triggers_look').on(table.lookAt),
    index('triggers_checked').on(table.checkedAt),
  ],
)

/** Actions that users keep (`edge/action-library/`). */
export const actions = sqliteTable(
  'actions',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    /** Number of the current version. */
    currentVersion: integer('current_version').notNull(),
    /** Highest number that a version has had. A number is not used again. */
    lastVersion: integer('last_version').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [index('actions_owner').on(table.ownerId, table.updatedAt)],
)

export const actionVersions = sqliteTable(
  'action_versions',
  {
    actionId: text('action_id')
      .notNull()
      .references(() => actions.id),
    number: integer('number').notNull(),
    cid: text('cid').notNull(),
    /** Size of the source in UTF-8. */
    bytes: integer('bytes').notNull(),
    note: text('note'),
    actorKind: text('actor_kind', { enum: TRIGGER_LOG_ACTORS }).notNull(),
    actorId: text('actor_id'),
    actorName: text('actor_name'),
    createdAt: integer('created_at').notNull(),
    /** The last column, so that queries for other columns do not read the source. */
    source: text('source').notNull(),
  },
  (table) => [primaryKey({ columns: [table.actionId, table.number] })],
)

/** Audit log of operators' actions. The database rejects updates and deletions. A row is written before its action. */
export const operatorActions = sqliteTable(
  'operator_actions',
  {
    id: text('id').primaryKey(),
    /** Name of the operator, as given. */
    operator: text('operator').notNull(),
    command: text('command').notNull(),
    /** ID of the user or trigger, never an e-mail address, because the rows of an erased user stay. */
    subject: text('subject').notNull(),
    reason: text('reason').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [index('operator_actions_at').on(table.at)],
)
