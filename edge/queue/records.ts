import { runTrace } from '../../shared/telemetry/run-trace.ts'
import { isSecretHeader } from '../triggers/secret-headers.ts'
import { MASKED_HEADER } from '../../shared/wire/masked-header.ts'
import type { LogLine } from '../../shared/wire/log-line.ts'
import { isOnLogs, readChainConfig } from '../chain/chain-config.ts'
import { addressCount } from '../chain/matching/address-list.ts'
import { checksummedAddress } from '../chain/decoding/checksummed-address.ts'
import type { Chains } from '../../shared/config/chain-settings.ts'
import type { Settings } from '../settings.ts'
import type { RunRecord, TriggerOptions, TriggerRecord } from '../../shared/wire/trigger.ts'
import { reasonWithoutTicks } from '../schedule/schedule.ts'
import { scheduleConfig } from '../schedule/schedule-config.ts'
import { batchParams, eventParams, type Firing, runParams, type WebhookFiring } from './firing.ts'
import type { revisions, runs, trigger } from './schema.ts'

export type TriggerRow = typeof trigger.$inferSelect
export type RevisionRow = typeof revisions.$inferSelect
export type RunRow = typeof runs.$inferSelect

export type RunResult = {
  response: unknown
  error: string | null
  logs: LogLine[]
  /** Absent in results that were stored by versions that did not charge. */
  charged_cents?: number
  /** Absent if nothing was executed, and in results that were stored by versions that did not sign receipts. */
  receipt?: string | null
}

export function rfc3339OrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

export function parseTriggerOptions({ options }: Pick<TriggerRow, 'options'>): TriggerOptions {
  return JSON.parse(options) as TriggerOptions
}

export function webhookUrlOf(triggerId: string, publicUrl: string): string {
  return new URL(`/webhook/${triggerId}`, publicUrl).href
}

export function toTriggerRecord(
  row: TriggerRow,
  revision: RevisionRow,
  { PUBLIC_URL, CHAINS }: Pick<Settings, 'PUBLIC_URL' | 'CHAINS'>,
): TriggerRecord {
  const config = JSON.parse(row.config)
  return {
    id: row.triggerId,
    name: row.name,
    kind: row.kind,
    action_code: revision.actionCode,
    action_cid: revision.actionCid,
    default_params: JSON.parse(revision.defaultParams),
    max_runs_per_minute: row.maxRunsPerMinute,
    max_queued_runs: row.maxQueuedRuns,
    config,
    options: parseTriggerOptions(row),
    enabled: row.enabled,
    ...(row.kind === 'webhook' ? { webhook_url: webhookUrlOf(row.triggerId, PUBLIC_URL) } : {}),
    ...(row.kind === 'schedule' ? scheduleFields(row, config) : {}),
    ...(row.kind === 'chain_event' ? chainEventFields(row, config, CHAINS) : {}),
    disabled_reason: row.disabledReason,
    waiting_for: null,
    created_at: new Date(row.createdAt).toISOString(),
    updated_at: new Date(row.updatedAt).toISOString(),
  }
}

function scheduleFields({ enabled, nextTickAt }: TriggerRow, config: Record<string, unknown>) {
  const fields = { next_run_at: rfc3339OrNull(nextTickAt) }
  if (!enabled || nextTickAt !== null) return fields
  return { ...fields, ended_reason: reasonWithoutTicks(scheduleConfig(config)) }
}

/** The contract address has its EIP-55 checksum, even if the owner sent the address without one. */
function chainEventFields(row: TriggerRow, config: Record<string, unknown>, chains: Chains) {
  const read = readChainConfig(config)
  const ownFinality = parseTriggerOptions(row).finality
  // A chain that is no longer configured has no default finality.
  const finality = ownFinality ?? chains[read.chain]?.finality
  const shown = finality === undefined ? {} : { finality }
  if (!isOnLogs(read)) return shown
  const { signature, filter } = read
  const { address, addresses } = filter
  return {
    config:
      address === null ? config : { ...config, contract_address: checksummedAddress(address) },
    ...(addresses && { addresses_count: addressCount(addresses) }),
    canonical_signature: signature.canonical,
    topic0: signature.topic0,
    ...shown,
  }
}

export function toRunRecord(
  triggerId: string,
  row: RunRow,
  revision: RevisionRow,
  body: Uint8Array | 'omitted',
  result: RunResult | undefined,
): RunRecord {
  const id = triggerId + row.suffix
  return {
    id,
    trigger_id: triggerId,
    status: row.status,
    input: maskedInput(row, revision, body),
    ...(body === 'omitted'
      ? { input_omitted: { bytes: row.bodyBytes, url: `/api/runs/${id}` } }
      : {}),
    response: result?.response ?? null,
    error: result?.error ?? null,
    logs: result?.logs ?? [],
    charged_cents: result?.charged_cents ?? 0,
    receipt: result?.receipt ?? null,
    attempt: row.attempt,
    action_cid: revision.actionCid,
    queued_at: new Date(row.queuedAt).toISOString(),
    started_at: rfc3339OrNull(row.startedAt),
    finished_at: rfc3339OrNull(row.finishedAt),
    next_attempt_at: rfc3339OrNull(row.nextAttemptAt),
    waiting_for: row.waitingFor,
    test: row.test,
    replay_of: row.replayOf,
    reorged: row.reorged,
    trace_id: runTrace(id).traceId,
  }
}

/** Returns the run's input, with masked values of secret headers and of headers listed in `options.pass_headers`. */
function maskedInput(
  row: RunRow,
  revision: RevisionRow,
  body: Uint8Array | 'omitted',
): Record<string, unknown> {
  const stored = JSON.parse(row.firing) as Firing
  const defaults = JSON.parse(revision.defaultParams)
  if (stored.source === 'webhook_batch')
    return body === 'omitted'
      ? { ...defaults, source: 'webhook', body_omitted: true }
      : { ...defaults, ...batchParams(body, maskHeaders) }
  const firing = stored.source === 'webhook' ? maskHeaders(stored) : stored
  if (body !== 'omitted') return runParams(revision, firing, body)
  if (firing.source === 'params') return { ...defaults, body_omitted: true }
  if (firing.source !== 'webhook') return { ...defaults, source: firing.source, body_omitted: true }
  // `event` and `event_raw` are omitted, because null would mean that the event had no body.
  const {
    event: _,
    event_raw: __,
    event_raw_encoding: ___,
    ...input
  } = eventParams(firing, new Uint8Array())
  const request = { ...(input.request as object), body_bytes: row.bodyBytes }
  return { ...defaults, ...input, request, body_omitted: true }
}

/** Masks the values of secret headers and of headers listed in `options.pass_headers`. */
export function maskHeaders(firing: WebhookFiring): WebhookFiring {
  const named = new Set(firing.maskedHeaders)
  const headers = Object.entries(firing.headers).map(([name, value]) => [
    name,
    named.has(name) || isSecretHeader(name) ? MASKED_HEADER : value,
  ])
  return { ...firing, headers: Object.fromEntries(headers) }
}
