/**
 * Account links: usage keys that the edge keeps for signed-in people, so that the console works without a pasted key
 * (docs/decisions/0155).
 */
import { z } from 'zod'
import { base64url } from './sealed.ts'

export const LINK_RANDOM_BYTES = 16

/** Neither the prefix nor the length is that of a trigger's ID, so an ID cannot be confused with the other kind. */
export const linkIdSchema = z
  .string()
  .regex(/^acct_[A-Za-z0-9_-]{22}$/, 'expected the ID of an account link')

/** Usage key that is sealed for one account link of one owner. Only the origin can decrypt it. */
export const storedLinkKeySchema = z.strictObject({
  sealed_usage_key: base64url,
  link_id: linkIdSchema,
  owner_id: z.string().min(1).max(128),
})
export type StoredLinkKey = z.infer<typeof storedLinkKeySchema>

/**
 * What a person with whom an account is shared may do: `view` reads, `run` also runs actions, `manage` does everything that
 * the stored usage key may do.
 */
export const SHARE_SCOPES = ['view', 'run', 'manage'] as const
export type ShareScope = (typeof SHARE_SCOPES)[number]

/** Header with the CSRF token of the page. Requests of other sites cannot have it. */
export const PAGE_TOKEN_HEADER = 'x-svc-page'

export type ShareRecord = {
  id: string
  email: string
  scope: ShareScope
  accepted: boolean
}

export type LinkedAccountRecord = {
  id: string
  name: string
  role: 'owner' | ShareScope
  /** E-mail address of the person who linked the account. Absent for the owner. */
  shared_by?: string
  key_hash: string
  account_hash: string
  /** Unix milliseconds. */
  opened_at: number
  /** Only for the owner. */
  shares?: ShareRecord[]
}

export type InvitationRecord = { id: string; name: string; scope: ShareScope; shared_by: string }

/** Last opened first. */
export type LinkedAccounts = { accounts: LinkedAccountRecord[]; invitations: InvitationRecord[] }
