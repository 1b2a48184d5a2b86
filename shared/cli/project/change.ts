import type { TriggerChanges, TriggerFields } from '../../client/triggers/records.ts'
import type { Policy } from '../../policies/policy.ts'
import type { LimitChanges } from './plan-key-limits.ts'

/**
 * One request to the service, or several that only make sense together. `name` is the name in `svc.json`. `secret` is set if
 * the request contains the webhook secret of the trigger.
 */
export type Operation =
  | { do: 'create_wallet'; name: string; policy?: Policy }
  | { do: 'set_policy'; name: string; pkpId: string; policy: Policy; replaces: string }
  | { do: 'create_group'; name: string; wallets: readonly string[] }
  | { do: 'add_wallet'; group: string; wallet: string }
  | { do: 'add_action'; group: string; cid: string; label: string }
  | { do: 'create_key'; name: string; key: KeyFields; replaces?: string }
  | { do: 'update_key'; name: string; hash: string; key: Partial<KeyFields> }
  | { do: 'create_trigger'; name: string; key: string; fields: UndeployedTrigger; secret?: true }
  | {
      do: 'update_trigger'
      name: string
      id: string
      key?: string
      fields: TriggerChanges
      secret?: true
    }
  | { do: 'remove_trigger'; name: string; id: string }
  | { do: 'remove_key'; name: string; hash: string }
  | { do: 'remove_group'; name: string; id: number }
  | { do: 'remove_wallet'; group: string; pkpId: string }
  | { do: 'remove_action'; group: string; cidHash: string }

/** Names of groups instead of their IDs, which may not exist yet. */
export type KeyFields = {
  groups: readonly string[]
  /** IDs of groups of the key that are not in the file. */
  otherGroupIds: readonly number[]
  cap: Cap | null
  limits?: LimitChanges
}
export type Cap = { cents: number; seconds: number }
/** Texts can contain references to wallets that do not exist yet. */
export type UndeployedTrigger = Omit<
  TriggerFields,
  'usage_api_key' | 'usage_key_of' | 'webhook_secret' | 'name'
>

export type Change = {
  change: 'create' | 'update' | 'remove'
  kind: 'wallet' | 'group' | 'key' | 'trigger'
  /** Full name of the object. */
  name: string
  details: readonly string[]
  /** Permissions that the change grants or revokes, in words. */
  permissions: readonly string[]
  operation: Operation
}

/** Changes in an order in which each needs only earlier ones. */
export type Plan = { changes: readonly Change[]; notes: readonly string[] }
