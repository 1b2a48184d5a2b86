import { isDeepStrictEqual } from 'node:util'
import type { Run } from '../../client/triggers/records.ts'
import { brief, formatUtcTime, LINE_CHARACTERS } from '../commands/columns.ts'
import { printable } from '../terminal.ts'
import { maskedHeaders } from './deployed-events.ts'
import type { LocalOutcome } from './replay.ts'

const LABEL_CHARACTERS = 10

/** Formats an event with the outcomes of the deployed run and the local run, one below the other. */
export function eventLines(run: Run, local: LocalOutcome): string[] {
  const masked = maskedHeaders(run)
  const logs = run.logs.map(({ text }) => text)
  return [
    `${formatUtcTime(run.queued_at)}  ${printable(run.id)}${run.replay_of === null ? '' : '  replay'}${run.test ? '  test' : ''}`,
    line('event', brief(eventOf(run), LINE_CHARACTERS - LABEL_CHARACTERS - 2)),
    ...(masked.length === 0
      ? []
      : [line('masked', `${masked.join(', ')}: the history does not contain the values`)]),
    ...outcomeLines('deployed', { ...run, logs }),
    ...outcomeLines('local', local),
    ...(isComparable(run, local)
      ? [line('result', isSame(run, local) ? 'same' : 'different')]
      : []),
  ]
}

/** Returns true if both runs succeeded with the same response, or failed with the same message. */
export function isSame(run: Run, local: LocalOutcome): boolean {
  if (run.status !== local.status) return false
  if (run.status === 'failed') return messageOf(run.error) === messageOf(local.error)
  return isDeepStrictEqual(run.response, local.response)
}

const isComparable = ({ finished_at }: Run, { status }: LocalOutcome) =>
  finished_at !== null && status !== 'unknown'

type Outcome = {
  status: string
  response: unknown
  error: string | null
  logs: readonly string[]
}

function outcomeLines(label: string, { status, response, error, logs }: Outcome): string[] {
  const [first = '', ...stack] = (error ?? '').split('\n')
  const said = error === null ? (status === 'success' ? JSON.stringify(response) : '') : first
  return [
    line(label, `${status.padEnd(7)}  ${said}`.trimEnd()),
    ...stack.map((text) => line('', text)),
    ...logs.map((text) => line('', `| ${text}`)),
  ]
}

function eventOf({ input }: Run): unknown {
  return input['event'] ?? input['scheduled_at'] ?? input['event_raw'] ?? input
}

function messageOf(error: string | null): string | undefined {
  return error?.split('\n')[0]
}

function line(label: string, text: string): string {
  return printable(`  ${label.padEnd(LABEL_CHARACTERS)}${text}`).trimEnd()
}
