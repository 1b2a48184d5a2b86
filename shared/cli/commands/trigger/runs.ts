import type { Command } from 'commander'
import type { ReplayFields, RunFilter } from '../../../client/triggers/records.ts'
import type { Cli } from '../../cli.ts'
import { addExamples } from '../examples.ts'
import { allRunLines, waitAndPrintRun, runLines, runListLines } from './run-lines.ts'
import { integerOf } from '../option-values.ts'
import { RUN_ARGUMENT, resolveRunId, TRIGGER_ARGUMENT, resolveTriggerId } from './resolve-ids.ts'
import { EXIT, jsonText } from '../../terminal.ts'

const RUNS_SHOWN = '20'

type Given = Omit<RunFilter, 'limit'> & { limit: string }

export function registerRuns(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('runs')
    .description('List the runs of a trigger, or of all triggers, newest first.')
    .argument('[trigger]', `${TRIGGER_ARGUMENT}; default: all triggers`)
    .option('--status <status>', 'only runs with this status: queued, running, success or failed')
    .option('--since <time>', 'only runs queued at this time or later (RFC 3339)')
    .option('--until <time>', 'only runs queued before this time')
    .option('--error <text>', 'only failed runs whose error contains this text')
    .option('--header <name:value>', 'webhooks: only requests with this header')
    .option('--param <path=value>', 'only runs whose input has this value, such as event.id=42')
    .option('--limit <n>', 'maximum number of runs', RUNS_SHOWN)
  cli.withDeploymentOptions(command)
  addExamples(command, [
    'svc trigger runs greeter',
    'svc trigger runs greeter --status failed --json',
    'svc trigger runs --limit 10',
    'svc trigger runs greeter --error timeout --param event.customer.id=42',
  ])
  command.action(async (named: string | undefined, { limit, ...filter }: Given) => {
    const { triggers } = await cli.client(command, { token: true })
    const most = integerOf('--limit', limit)
    if (named === undefined) {
      const all = await triggers.allRuns({ ...filter, limit: most }).all()
      cli.print(command, all, () => (all.length === 0 ? ['no runs'] : allRunLines(all)))
      return
    }
    const id = await resolveTriggerId(triggers, named)
    const runs = await triggers.runs(id, { ...filter, limit: most }).all()
    cli.print(command, runs, () => (runs.length === 0 ? ['no runs'] : runListLines(runs)))
  })
}

export function registerShowRun(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('run')
    .description('Show a run: input, response or error, console output.')
    .argument('<run>', RUN_ARGUMENT)
    .option('--wait', 'wait until the run ends; exit code 1 if it failed')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc trigger run greeter --wait'])
  command.action(async (named: string, { wait }: { wait?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await resolveRunId(triggers, named)
    if (wait) return waitAndPrintRun(cli, command, triggers, id)
    const run = await triggers.run(id)
    cli.print(command, run, () => runLines(run))
  })
}

export function registerCancel(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('cancel')
    .description('Cancel a queued run, which then counts as failed. A started run continues.')
    .argument('<run>', RUN_ARGUMENT)
  cli.withDeploymentOptions(command)
  // The first example sets a rate limit, so that the second run stays queued and can be cancelled.
  addExamples(command, [
    'svc trigger update greeter --max-runs-per-minute 1',
    `svc trigger fire greeter --body '{"name": "first"}' --no-wait`,
    `svc trigger fire greeter --body '{"name": "second"}' --no-wait`,
    'svc trigger cancel greeter',
  ])
  command.action(async (named: string) => {
    const { triggers } = await cli.client(command, { token: true })
    const run = await triggers.cancelRun(await resolveRunId(triggers, named))
    cli.print(command, run, () => runLines(run))
  })
}

export function registerReplay(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('replay')
    .description('Start a new run with the event of an earlier one, and wait for it.')
    .argument('<run>', RUN_ARGUMENT)
    .option(
      '--code <which>',
      'current: the trigger’s current code; original: the code of the earlier run',
    )
    .option('--no-wait', 'queue the run without waiting for it')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc trigger replay greeter', 'svc trigger replay greeter --code original'])
  type Replayed = { code?: NonNullable<ReplayFields['code']>; wait: boolean }
  command.action(async (named: string, { code, wait }: Replayed) => {
    const { triggers } = await cli.client(command, { token: true })
    const of = await resolveRunId(triggers, named)
    const queued = await triggers.replayRun(of, code ? { code } : {})
    if (wait) return waitAndPrintRun(cli, command, triggers, queued.run_id)
    cli.print(command, queued, () => [`queued ${queued.run_id}`])
  })
}

type Tailed = { since?: string; once?: true; json?: true }

export function registerTail(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('tail')
    .description(
      'Print runs of a trigger as they end, until Ctrl-C. With --json, one run per line.',
    )
    .argument('<trigger>', TRIGGER_ARGUMENT)
    .option('--since <time>', 'also print runs queued since this time (RFC 3339)')
    .option('--once', 'exit after the first run; exit code 1 if it failed')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc trigger tail greeter --since 2026-01-01T00:00:00Z --once'])
  command.action(async (named: string, { since, once, json }: Tailed) => {
    const { triggers } = await cli.client(command, { token: true })
    const id = await resolveTriggerId(triggers, named)
    const runs = triggers.watchRuns(id, since === undefined ? {} : { since })
    cli.progress(command, `waiting for runs of ${id}`)
    for await (const run of runs) {
      const lines = json ? [jsonText(run)] : runListLines([run])
      cli.terminal.write(`${lines.join('\n')}\n`)
      if (!once) continue
      if (run.status === 'failed') cli.exit(EXIT.failed)
      return
    }
  })
}
