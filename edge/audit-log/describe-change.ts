import { sha256 } from '@noble/hashes/sha2.js'
import { encodeHex } from '../../shared/encoding/hex.ts'
import { TRIGGER_LOG_VALUE_MAX_CHARACTERS } from '../../shared/limits.ts'
import type { TriggerRow } from '../queue/records.ts'
import type { ChangeDetails } from './trigger-change.ts'

/** Values of the fields of a trigger as text. */
export type ChangeSnapshot = { values: Record<string, string>; hidden: Record<string, string> }

export function snapshotOf(
  row: TriggerRow,
  { actionCid, defaultParams }: { actionCid: string; defaultParams: Record<string, unknown> },
): ChangeSnapshot {
  return {
    values: {
      name: row.name,
      kind: row.kind,
      enabled: String(row.enabled),
      suspended: String(row.suspendedFrom !== null),
      config: row.config,
      options: row.options,
      max_runs_per_minute: String(row.maxRunsPerMinute),
      max_queued_runs: String(row.maxQueuedRuns),
      action_cid: actionCid,
    },
    hidden: {
      default_params: JSON.stringify(defaultParams),
      usage_api_key: String(row.usageKey),
      // The encrypted text differs after each change.
      webhook_secret: row.webhookSecret ?? '',
    },
  }
}

/** @param before absent for a new trigger @param after absent for a deleted trigger */
export function describeChange(
  before: ChangeSnapshot | undefined,
  after: ChangeSnapshot | undefined,
): ChangeDetails {
  const known = after ?? before!
  const changes: ChangeDetails['changes'] = {}
  for (const name of Object.keys(known.values)) {
    const [from, to] = [before?.values[name] ?? null, after?.values[name] ?? null]
    if (from !== to) changes[name] = { from: shorten(from), to: shorten(to) }
  }
  if (after)
    for (const [name, value] of Object.entries(after.hidden))
      if (before ? before.hidden[name] !== value : !['', '{}'].includes(value))
        changes[name] = { changed: true }
  return { name: known.values['name']!, changes }
}

function shorten(value: string | null): string | null {
  if (value === null || value.length <= TRIGGER_LOG_VALUE_MAX_CHARACTERS) return value
  const hash = encodeHex(sha256(new TextEncoder().encode(value)))
  return `${value.length} characters, SHA-256 ${hash}`
}
