import type { ReplayCode } from '../../shared/wire/run.ts'
import type { TriggerKind } from '../../shared/wire/trigger.ts'
import { derivedRunSuffix } from '../derived-run-suffix.ts'
import { type ParamsFiring, type WebhookFiring, PARSING_RULES } from './firing.ts'
import type { Arrival } from './intake.ts'
import type { RunRow } from './records.ts'
import type { RunStore } from './run-store.ts'

export type TestRun = {
  /**
   * Meaning of the test run's body. `params`: the keys that an event would add to the params. `event`: the body that a
   * sender would POST, or the `event` object of a log.
   */
  kind: 'params' | 'event'
  /** JSON text, encoded as UTF-8. */
  body: Uint8Array
}

/**
 * @param trigger `webhookUrl` is the URL to which a sender would have posted the event
 * @returns `undefined` if the test is an event and the trigger does not accept events
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
  if (trigger.kind === 'chain_event') return chainEventArrival(body)
  if (trigger.kind !== 'webhook') return undefined
  return { firing: jsonFiring(trigger.webhookUrl, now), body, test: true }
}

export type AlertEvent = {
  /** The same in each attempt. An alert fires a trigger at most once. */
  id: string
  /** JSON text, encoded as UTF-8. */
  body: Uint8Array
}

export function alertArrival({ id, body }: AlertEvent, webhookUrl: string, now: number): Arrival {
  return { firing: jsonFiring(webhookUrl, now), body, suffix: derivedRunSuffix(`alert ${id}`) }
}

/** Returns the firing of a webhook that the service itself sends, as text. */
function jsonFiring(webhookUrl: string, now: number): string {
  const firing: WebhookFiring = {
    source: 'webhook',
    method: 'POST',
    url: webhookUrl,
    query: {},
    receivedAt: now,
    contentType: 'application/json',
    rules: PARSING_RULES,
    headers: { 'content-type': 'application/json' },
  }
  return JSON.stringify(firing)
}

/** Passes `event` to the action unchanged, so that owners can test an action without constructing a raw log. */
function chainEventArrival(event: Uint8Array): Arrival {
  const firing: ParamsFiring = { source: 'params' }
  const text = new TextDecoder().decode(event)
  const body = new TextEncoder().encode(`{"source":"chain_event","event":${text}}`)
  return { firing: JSON.stringify(firing), body, test: true }
}

/** The replay of a test run is also a test run. */
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
