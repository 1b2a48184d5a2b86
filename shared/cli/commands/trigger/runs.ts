/** `svc trigger runs`, `run`, `cancel` and `replay`. */
import type { Command } from 'commander'
import type { ReplayFields, RunFilter } from '../../../client/triggers/records.ts'
import type { Cli } from '../../cli.ts'
import { examples } from '../examples.ts'
import { shownEnd } from './shown-end.ts'
import { runLines, runsLines } from './run-lines.ts'
import { integerOf } from '../values.ts'
import { RUN, runNamed, TRIGGER, triggerNamed } from './which.ts'

/** About one screen. */
const RUNS_SHOWN = '20'

type Given = {
  limit: string
  status?: NonNullable<RunFilter['status']>
  since?: string
  until?: string
}

export function registerRuns(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('runs')
    .description('The runs of a trigger, the newest first.')
    .argument('<trigger>', TRIGGER)
    .option('--status <status>', 'queued, running, success or failed alone')
    .option('--since <time>', 'queued at this time or later: RFC 3339')
    .option('--until <time>', 'queued before this time')
    .option('--limit <n>', 'at most so many', RUNS_SHOWN)
  cli.atDeployment(command)
  examples(command, ['svc trigger runs greeter', 'svc trigger runs greeter --status failed --json'])
  command.action(async (named: string, { limit, ...filter }: Given) => {
    const { triggers } = await cli.client(command, { token: true })
    const most = integerOf('--limit', limit)
    const id = await triggerNamed(triggers, named)
    const runs = await triggers.runs(id, { ...filter, limit: most }).all()
    cli.say(command, runs, () => (runs.length === 0 ? ['no runs'] : runsLines(runs)))
  })
}

export function registerRun(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('run')
    .description('One run: input, response or error, console output.')
    .argument('<run>', RUN)
    .option('--wait', 'until it has ended; exit code 1 where it failed')
  cli.atDeployment(command)
  examples(command, ['svc trigger run greeter --wait'])
  command.action(async (named: string, { wait }: { wait?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await runNamed(triggers, named)
    if (wait) return shownEnd(cli, command, triggers, id)
    const run = await triggers.run(id)
    cli.say(command, run, () => runLines(run))
  })
}

export function registerCancel(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('cancel')
    .description('Ends a run that is queued, as failed. One that has begun goes on.')
    .argument('<run>', RUN)
  cli.atDeployment(command)
  // With one start per minute, the second run stays queued.
  examples(command, [
    'svc trigger update greeter --max-runs-per-minute 1',
    `svc trigger fire greeter --body '{"name": "first"}' --no-wait`,
    `svc trigger fire greeter --body '{"name": "second"}' --no-wait`,
    'svc trigger cancel greeter',
  ])
  command.action(async (named: string) => {
    const { triggers } = await cli.client(command, { token: true })
    const run = await triggers.cancelRun(await runNamed(triggers, named))
    cli.say(command, run, () => runLines(run))
  })
}

export function registerReplay(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('replay')
    .description('Runs the event of a run again, as a new run, and waits for its end.')
    .argument('<run>', RUN)
    .option('--code <which>', 'current: the trigger’s as it is now; original: as the run had it')
    .option('--no-wait', 'only queues it')
  cli.atDeployment(command)
  examples(command, ['svc trigger replay greeter', 'svc trigger replay greeter --code original'])
  type Replayed = { code?: NonNullable<ReplayFields['code']>; wait: boolean }
  command.action(async (named: string, { code, wait }: Replayed) => {
    const { triggers } = await cli.client(command, { token: true })
    const of = await runNamed(triggers, named)
    const queued = await triggers.replayRun(of, code ? { code } : {})
    if (wait) return shownEnd(cli, command, triggers, queued.run_id)
    cli.say(command, queued, () => [`queued ${queued.run_id}`])
  })
}
