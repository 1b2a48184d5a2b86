import { isDeepStrictEqual } from 'node:util'
import {
  MAX_QUEUED_RUNS_DEFAULT,
  MAX_RUNS_PER_MINUTE_DEFAULT,
  WEBHOOK_QUEUED_RUNS_DEFAULT,
} from '../../limits.ts'
import type { TriggerChanges } from '../../client/triggers/records.ts'
import { withoutUndefined } from '../../json/without-undefined.ts'
import type { WebhookSource } from '../../wire/webhook-source.ts'
import { brief } from '../commands/columns.ts'
import { UsageError } from '../terminal.ts'
import type { Change, UndeployedTrigger } from './change.ts'
import { type DeployedTrigger, oneNamed } from './deployed-state.ts'
import { deployedKey } from './plan-keys.ts'
import { deployedWallet } from './plan-wallets.ts'
import type { Planned, Planning } from './planning.ts'
import type { ProjectTrigger } from './read-project.ts'
import { withAddresses } from './wallet-references.ts'

/** @param newKeys keys that are created before the triggers */
export function planTriggers(planning: Planning, newKeys: ReadonlySet<string>): Planned {
  const { project, state, names, prune } = planning
  const parts = [...project.triggers].map(([name, trigger]) =>
    plannedTrigger(planning, newKeys, name, trigger),
  )
  const listed = new Set([...project.triggers.keys()].map(names.full))
  const unlisted = state.triggers.filter(
    ({ name }) => name.startsWith(names.prefix) && !listed.has(name),
  )
  return {
    changes: parts.flatMap(({ changes }) => changes),
    removals: prune ? unlisted.map(removal) : [],
    notes: [
      ...parts.flatMap(({ notes }) => notes),
      ...(prune ? [] : unlisted).map(
        ({ name, id }) =>
          `the trigger ${name} (${id}) is not in the file; --prune deletes it and its history`,
      ),
    ],
  }
}

function plannedTrigger(
  planning: Planning,
  newKeys: ReadonlySet<string>,
  name: string,
  declared: ProjectTrigger,
): Planned {
  const { project, state, names } = planning
  const full = names.full(name)
  const action = project.actions.get(declared.action)!
  const fix = 'Delete all but one with svc trigger delete.'
  const found = oneNamed(state.triggers, full, 'trigger', ({ id }) => id, fix)
  const fields = fieldsOf(planning, declared)
  if (!found) {
    requireKey(planning, newKeys, name, declared.key)
    const secret = plannedSecret(planning, name, declared)
    const change: Change = {
      change: 'create',
      kind: 'trigger',
      name: full,
      details: [
        firesOn(declared),
        `runs ${action.name} (${action.cid}) with the key ${declared.key}`,
        ...secret.details,
        ...(declared.enabled === false ? ['disabled'] : []),
      ],
      permissions: permissionsOf(declared, declared.options.source),
      operation: {
        do: 'create_trigger',
        name,
        key: declared.key,
        fields: { ...fields, action_code: action.code },
        ...secret.sent,
      },
    }
    return { changes: [change], removals: [], notes: [] }
  }
  if (found.kind !== declared.kind)
    throw new UsageError(
      `triggers.${name}.kind: the trigger ${full} (${found.id}) is of the kind ${found.kind}, which cannot be changed. Give the trigger another name in the file, or delete it with svc trigger delete`,
    )
  const { kind: _fixed, ...wanted } = fields
  const changed = changedFields({ ...wanted, options: withSource(wanted.options, found) }, found)
  const details = Object.keys(changed).map((field) => fieldWords(field, changed, found))
  const isNewAction = found.action_cid !== action.cid
  if (isNewAction)
    details.unshift(`runs ${action.name} (${action.cid}) instead of ${found.action_cid}`)
  const isNewKey = needsKey(planning, newKeys, name, declared.key, found)
  if (isNewKey) details.push(`uses the key ${declared.key}`)
  const secret = plannedSecret(planning, name, declared, found)
  details.push(...secret.details)
  const notes = [
    ...(!found.enabled && declared.enabled === undefined
      ? [
          `the trigger ${full} is disabled${found.disabled_reason === null ? '' : `: ${found.disabled_reason}`}`,
        ]
      : []),
    ...secret.notes,
  ]
  if (details.length === 0) return { changes: [], removals: [], notes }
  const change: Change = {
    change: 'update',
    kind: 'trigger',
    name: full,
    details,
    permissions:
      isNewAction || isNewKey
        ? permissionsOf(declared, declared.options.source ?? found.options.source)
        : [],
    operation: {
      do: 'update_trigger',
      name,
      id: found.id,
      ...(isNewKey && { key: declared.key }),
      fields: { ...changed, ...(isNewAction && { action_code: action.code }) },
      ...secret.sent,
    },
  }
  return { changes: [change], removals: [], notes }
}

function permissionsOf(
  { kind, action, key }: ProjectTrigger,
  source: WebhookSource | undefined,
): string[] {
  if (kind !== 'webhook') return []
  const who =
    source === undefined
      ? 'anyone who knows the webhook’s URL'
      : 'anyone who has the sender’s secret and knows the webhook’s URL'
  return [`${who} may start ${action} with the key ${key}`]
}

type PlannedSecret = { details: string[]; notes: string[]; sent: { secret?: true } }

/**
 * Decides if the trigger gets its webhook secret. The service does not return it, so this machine records a digest of what it
 * sent. Without a record, the secret is sent again.
 * @throws {UsageError} if the trigger needs the secret, and it is missing on this machine
 */
function plannedSecret(
  { project, state, names }: Planning,
  name: string,
  { options: { source } }: ProjectTrigger,
  found?: DeployedTrigger,
): PlannedSecret {
  const nothing: PlannedSecret = { details: [], notes: [], sent: {} }
  const secret = project.webhookSecrets.get(name)
  if (!secret) return nothing
  const { place, held } = secret
  const isStored = found !== undefined && isDeepStrictEqual(found.options.source, source)
  if (!held && !isStored)
    throw new UsageError(
      `triggers.${name}.webhook_secret: ${place} is missing or empty, and the trigger needs the secret of its sender`,
    )
  if (!held) {
    const note = `the trigger ${names.full(name)} keeps its webhook secret: ${place} is missing or empty here`
    return { ...nothing, notes: [note] }
  }
  if (isStored && state.triggerSecrets.get(found.id) === held.digest) return nothing
  return { ...nothing, details: [`gets the webhook secret from ${place}`], sent: { secret: true } }
}

/** Absent fields get their defaults, so that removing one from the file takes effect. */
function fieldsOf(
  planning: Planning,
  { action: _action, key: _key, ...declared }: ProjectTrigger,
): Omit<UndeployedTrigger, 'action_code'> {
  const addressOf = (wallet: string) => deployedWallet(planning, wallet)?.wallet_address
  return withoutUndefined({
    ...declared,
    config: withAddresses(declared.config, addressOf),
    default_params: withAddresses(declared.default_params, addressOf),
    options: withoutUndefined(declared.options),
    max_runs_per_minute: declared.max_runs_per_minute ?? MAX_RUNS_PER_MINUTE_DEFAULT,
    max_queued_runs:
      declared.max_queued_runs ??
      (declared.kind === 'webhook' ? WEBHOOK_QUEUED_RUNS_DEFAULT : MAX_QUEUED_RUNS_DEFAULT),
  })
}

/** Keeps a source that was set by hand. Without it, the secret would be removed, and everyone could send webhooks. */
function withSource(
  options: TriggerChanges['options'],
  { options: { source } }: DeployedTrigger,
): TriggerChanges['options'] {
  return source === undefined ? options : { source, ...options }
}

function changedFields(wanted: TriggerChanges, found: DeployedTrigger): TriggerChanges {
  const entries = Object.entries(wanted).filter(
    ([field, value]) => !isDeepStrictEqual(value, Reflect.get(found, field)),
  )
  return Object.fromEntries(entries)
}

/** A config can contain thousands of addresses. */
const SHOWN_CHARACTERS = 1_000

function fieldWords(field: string, changed: TriggerChanges, found: DeployedTrigger): string {
  const text = (of: object) => brief(Reflect.get(of, field), SHOWN_CHARACTERS)
  return `${field}: ${text(found)} becomes ${text(changed)}`
}

/**
 * True if the trigger gets its usage key. The service does not tell which key a trigger has, so this machine records what it
 * sent. Without a record, the key is sent again, which does no harm.
 */
function needsKey(
  planning: Planning,
  newKeys: ReadonlySet<string>,
  name: string,
  key: string,
  { id }: DeployedTrigger,
): boolean {
  if (newKeys.has(key)) return true
  const { state } = planning
  const hash = deployedKey(planning, key)!.api_key_hash
  const recorded = state.triggerKeys.get(id)
  if (recorded === hash) return false
  if (recorded === undefined) return state.heldKeys.has(hash)
  requireKey(planning, newKeys, name, key)
  return true
}

/** @throws {UsageError} unless this machine has the key, or creates it */
function requireKey(
  planning: Planning,
  newKeys: ReadonlySet<string>,
  trigger: string,
  key: string,
): void {
  if (newKeys.has(key)) return
  const { name, api_key_hash: hash } = deployedKey(planning, key)!
  if (planning.state.heldKeys.has(hash)) return
  throw new UsageError(
    `triggers.${trigger}.key: the usage key ${name} exists, but is not stored on this machine. Set SVC_USAGE_KEY or SVC_USAGE_KEY_FILE to it, or delete it with svc key delete ${hash}, so that svc deploy creates another one`,
  )
}

function removal({ name, id }: DeployedTrigger): Change {
  return {
    change: 'remove',
    kind: 'trigger',
    name,
    details: ['with its history'],
    permissions: [],
    operation: { do: 'remove_trigger', name, id },
  }
}

function firesOn({ kind, config }: ProjectTrigger): string {
  return kind === 'webhook' ? 'webhook' : `${kind} ${brief(config, SHOWN_CHARACTERS)}`
}
