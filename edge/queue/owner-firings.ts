/** Firings that a trigger's owner asks for: test runs, and runs over again (`decisions.md`, Test). */
import type { ReplayCode } from '../../shared/wire/run.ts'
import type { TriggerKind } from '../../shared/wire/trigger.ts'
import type { ParamsFiring, WebhookFiring } from './firing.ts'
import type { Arrival } from './intake.ts'
import type { RunRow } from './records.ts'
import type { RunStore } from './run-store.ts'
import { PARSING_RULES } from './webhook-event.ts'

export type TestRun = {
  /** What the body is: params, as an event would add them, or an event: as a sender POSTs it, or as `event` of a log. */
  kind: 'params' | 'event'
  /** JSON. */
  body: Uint8Array
}

/**
 * A run on trial.
 * @param webhookUrl where a sender would have sent it
 * @returns `undefined` for an event to a trigger that takes none
 */
export function testArrival(
  { kind, body }: TestRun,
  trigger: { kind: TriggerKind; webhookUrl: string },
  now: number,
): Arrival | undefined {
  if (kind === 'params') {
    const firing: ParamsFiring = { source: 'params' }
    return { firing: JSON.stringify(firing), body, test: true }
  }
  if (trigger.kind === 'chain_event') return chainEventOf(body)
  if (trigger.kind !== 'webhook') return undefined
  const firing: WebhookFiring = {
    source: 'webhook',
    method: 'POST',
    url: trigger.webhookUrl,
    query: {},
    receivedAt: now,
    contentType: 'application/json',
    rules: PARSING_RULES,
    headers: { 'content-type': 'application/json' },
  }
  return { firing: JSON.stringify(firing), body, test: true }
}

/** Params with this `event`, as it stands: what a log would be made of is not asked of who tries an action. */
function chainEventOf(event: Uint8Array): Arrival {
  const firing: ParamsFiring = { source: 'params' }
  const text = new TextDecoder().decode(event)
  const body = new TextEncoder().encode(`{"source":"chain_event","event":${text}}`)
  return { firing: JSON.stringify(firing), body, test: true }
}

/** The same event again, byte for byte and with its headers; what was a test stays one. */
export function replayArrival(
  store: Pick<RunStore, 'body'>,
  run: RunRow,
  runId: string,
  code: ReplayCode,
): Arrival {
  return {
    firing: run.firing,
    body: store.body(run),
    replayOf: runId,
    ...(run.test ? { test: true } : {}),
    ...(code === 'original' ? { revision: run.revision } : {}),
  }
}
