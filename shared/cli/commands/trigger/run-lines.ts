import type { Command } from 'commander'
import type { ListedRun, Run } from '../../../client/triggers/records.ts'
import type { LogLine } from '../../../wire/log-line.ts'
import { printable, EXIT } from '../../terminal.ts'
import { brief, columns, facts, LINE_CHARACTERS, formatUtcTime } from '../columns.ts'
import type { TriggerOperations } from '../../../client/triggers/triggers.ts'
import type { Cli } from '../../cli.ts'

/** Indentation that aligns the second line of a listed run with the time in the first line. */
const INDENT = '         '

const NAME_CHARACTERS = 30

export function runListLines(runs: readonly Run[]): string[] {
  const heads = columns(
    runs.map(({ status, queued_at, id }) => [status.padEnd(7), formatUtcTime(queued_at), id]),
  )
  return runs.flatMap((run, at) => [heads[at]!, `${INDENT}${summary(run)}`])
}

/** Lines of runs of several triggers. */
export function allRunLines(runs: readonly ListedRun[]): string[] {
  const heads = columns(
    runs.map(({ status, queued_at, id, trigger_name }) => [
      status.padEnd(7),
      formatUtcTime(queued_at),
      id,
      brief(trigger_name ?? 'deleted trigger', NAME_CHARACTERS),
    ]),
  )
  return runs.flatMap(({ test, replay, reorged, summary: text, ...run }, at) => {
    const marks = [test && 'test', replay && 'replay', reorged && 'reorged']
    const said = [duration(run), ...marks].filter(Boolean).join(', ')
    const before = said === '' ? '' : `${said}  `
    const waiting = run.waiting_for === null ? '' : `waiting for ${run.waiting_for}`
    const room = LINE_CHARACTERS - INDENT.length - before.length
    return [heads[at]!, `${INDENT}${before}${brief(text ?? waiting, room)}`.trimEnd()]
  })
}

export function runLines(run: Run): string[] {
  const { error, logs } = run
  return [
    ...facts({
      run: run.id,
      trigger: run.trigger_id,
      status: run.status,
      queued: formatUtcTime(run.queued_at),
      started: formatUtcTime(run.started_at),
      finished: formatUtcTime(run.finished_at),
      attempt: String(run.attempt),
      'next attempt': run.next_attempt_at === null ? undefined : formatUtcTime(run.next_attempt_at),
      'waiting for': run.waiting_for ?? undefined,
      action: run.action_cid,
      charged: cents(run),
      'replay of': run.replay_of ?? undefined,
      test: run.test ? 'yes' : undefined,
      reorged: run.reorged ? 'the log is no longer on the chain' : undefined,
      receipt:
        run.receipt === null ? undefined : 'yes: --json prints it, svc receipt verify checks it',
      trace: run.trace_id,
      input: JSON.stringify(run.input),
      response: run.status === 'success' ? JSON.stringify(run.response) : undefined,
    }),
    ...(error === null
      ? []
      : ['error', ...error.split('\n').map((line) => `  ${printable(line)}`)]),
    ...(logs.length === 0 ? [] : ['logs', ...logs.map(logLine)]),
  ]
}

function summary(run: Run): string {
  const room = LINE_CHARACTERS - INDENT.length
  const marks = [
    run.test ? 'test' : '',
    run.replay_of === null ? '' : 'replay',
    run.reorged ? 'reorged' : '',
  ]
  const said = [duration(run), run.status === 'success' ? cents(run) : '', ...marks].filter(Boolean)
  const before = said.length === 0 ? '' : `${said.join(', ')}  `
  return `${before}${brief(outcome(run), room - before.length)}`.trimEnd()
}

function outcome({ status, response, error, waiting_for, next_attempt_at }: Run): unknown {
  if (status === 'success') return response
  if (status === 'failed') return error ?? ''
  if (waiting_for !== null) return `waiting for ${waiting_for}`
  return next_attempt_at === null ? '' : `next attempt at ${formatUtcTime(next_attempt_at)}`
}

function duration({ started_at, finished_at }: Pick<Run, 'started_at' | 'finished_at'>): string {
  if (started_at === null || finished_at === null) return ''
  return `${Date.parse(finished_at) - Date.parse(started_at)} ms`
}

function cents({ charged_cents }: Run): string {
  return `${charged_cents} ${charged_cents === 1 ? 'cent' : 'cents'}`
}

export function logLine({ level, at_ms, text }: LogLine): string {
  return `  ${`${Math.round(at_ms)} ms`.padStart(8)}  ${level.padEnd(5)}  ${printable(text)}`
}

/** Waits for the run to finish. Sets the exit code to `EXIT.failed` if the run failed. */
export async function waitAndPrintRun(
  cli: Cli,
  command: Command,
  triggers: TriggerOperations,
  runId: string,
): Promise<void> {
  cli.progress(command, `queued ${runId}`)
  const run = await triggers.waitForRun(runId)
  cli.print(command, run, () => runLines(run))
  if (run.status === 'failed') cli.exit(EXIT.failed)
}
