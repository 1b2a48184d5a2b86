import type { TRIGGER_LOG_ACTORS, TRIGGER_LOG_OPERATIONS } from '../../shared/wire/trigger-log.ts'

/** The requester of a change. */
export type ChangeOrigin = {
  /** The ID of the token or grant, null for people. */
  actor: { kind: (typeof TRIGGER_LOG_ACTORS)[number]; id: string | null }
  /** Name of the token or OAuth client, which the program chose. */
  actorName: string | null
  /** Null if it is unknown. */
  clientAddress: string | null
}

export const BY_OPERATOR: ChangeOrigin = {
  actor: { kind: 'operator', id: null },
  actorName: null,
  clientAddress: null,
}

/** A change of a trigger by its owner or an operator. Written in the transaction of the change. */
export type TriggerChangedReport = ChangeOrigin & {
  kind: 'trigger_changed'
  operation: (typeof TRIGGER_LOG_OPERATIONS)[number]
  /** Unix milliseconds. */
  at: number
  details: ChangeDetails
}

/** Changed fields with their values as text. Values of secrets and of default params are omitted. */
export type ChangeDetails = {
  name: string
  changes: Record<string, { from: string | null; to: string | null } | { changed: true }>
}
