import type { Command } from 'commander'
import { RUNS_PAGE_MAX } from '../../limits.ts'
import type { Run } from '../../client/triggers/records.ts'
import type { TailEvent } from '../../client/triggers/tail.ts'
import type { TriggerOperations } from '../../client/triggers/triggers.ts'
import type { Cli } from '../cli.ts'
import { jsonText, UsageError } from '../terminal.ts'
import { addExamples } from './examples.ts'
import { integerOf } from './option-values.ts'
import { resolveTriggerId, TRIGGER_ARGUMENT } from './trigger/resolve-ids.ts'
import { logLine, runListLines } from './trigger/run-lines.ts'

const LAST_RUNS = '10'

/** Characters at the end of a run ID that identify a run among its neighbours. */
const SHORT_ID_CHARACTERS = 6

type Given = { last: string; since?: string; follow?: true; json?: true }

export function registerLogs(program: Command, cli: Cli): void {
  const command = program
    .command('logs')
    .description('Print the console output of a trigger’s runs, oldest first.')
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('-f, --follow', 'continue with new output, also of runs in progress, until Ctrl-C')
    .option('--last <n>', 'number of past runs to start with', LAST_RUNS)
    .option('--since <time>', 'start with the runs queued since this time (RFC 3339)')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc logs greeter', 'svc logs greeter --last 1 --json'])
  command.action(async (named: string, given: Given) => {
    const count = integerOf('--last', given.last)
    if (count < 0 || count > RUNS_PAGE_MAX)
      throw new UsageError(`--last: expected a number from 0 to ${RUNS_PAGE_MAX}`)
    const { triggers } = await cli.client(command, { token: true })
    const id = await resolveTriggerId(triggers, named)
    const past = await pastRuns(triggers, id, { count, since: given.since })
    if (!given.follow) {
      const events = past.flatMap(eventsOf)
      return cli.print(command, events, () => events.flatMap(eventLines))
    }
    cli.progress(command, `waiting for output of ${id}`)
    const since = given.since ?? past[0]?.queued_at
    for await (const event of triggers.tail(id, since === undefined ? {} : { since })) {
      const lines = given.json ? [jsonText(event)] : eventLines(event)
      cli.terminal.write(`${lines.join('\n')}\n`)
    }
  })
}

/** Oldest first. */
async function pastRuns(
  triggers: TriggerOperations,
  id: string,
  { count, since }: { count: number; since: string | undefined },
): Promise<Run[]> {
  if (count === 0 && since === undefined) return []
  const runs = await triggers.runs(id, since === undefined ? { limit: count } : { since }).all()
  return runs.toReversed()
}

function eventsOf(run: Run): TailEvent[] {
  const { id: run_id, attempt } = run
  const lines = run.logs.map((line, index) => ({ run_id, attempt, index, ...line }))
  return [...lines.map((line) => ({ type: 'line' as const, line })), { type: 'run', run }]
}

function eventLines(event: TailEvent): string[] {
  if (event.type === 'run') return runListLines([event.run])
  return [`${event.line.run_id.slice(-SHORT_ID_CHARACTERS)}${logLine(event.line)}`]
}
