import type { Command } from 'commander'
import type { ErrorGroup, FailedRun } from '../../../client/triggers/records.ts'
import type { Cli } from '../../cli.ts'
import { addExamples } from '../examples.ts'
import { brief, columns, formatUtcTime, LINE_CHARACTERS } from '../columns.ts'
import { integerOf } from '../option-values.ts'
import { resolveTriggerId } from './resolve-ids.ts'

const INDENT = '    '
const SHOWN = '20'

type Given = {
  trigger?: string
  error?: string
  since?: string
  until?: string
  groups?: true
  limit: string
}

export function registerFailed(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('failed')
    .description('List the failed runs of all triggers, latest failure first.')
    .option('--groups', 'group the runs by error')
    .option('--trigger <trigger>', 'only runs of this trigger')
    .option('--error <fingerprint>', 'only runs of this error group')
    .option('--since <time>', 'only runs that failed at this time or later (RFC 3339)')
    .option('--until <time>', 'only runs that failed before this time')
    .option('--limit <n>', 'maximum number of runs or groups', SHOWN)
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc trigger failed', 'svc trigger failed --groups --json'])
  command.action(async ({ trigger: named, error, since, until, groups, limit }: Given) => {
    const { triggers } = await cli.client(command, { token: true })
    const filter = {
      limit: integerOf('--limit', limit),
      ...(named === undefined ? {} : { triggerId: await resolveTriggerId(triggers, named) }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    }
    if (groups) {
      const found = await triggers.errorGroups(filter).all()
      cli.print(command, found, () => (found.length === 0 ? ['no failed runs'] : groupLines(found)))
      return
    }
    const only = error === undefined ? {} : { fingerprint: error }
    const runs = await triggers.failedRuns({ ...filter, ...only }).all()
    cli.print(command, runs, () => (runs.length === 0 ? ['no failed runs'] : failedRunLines(runs)))
  })
}

function failedRunLines(runs: readonly FailedRun[]): string[] {
  const heads = columns(
    runs.map(({ failed_at, fingerprint, id }) => [formatUtcTime(failed_at), fingerprint, id]),
  )
  return runs.flatMap((run, at) => {
    const replay = run.replay && `replayed${run.replay.status ? ` (${run.replay.status})` : ''}  `
    return [heads[at]!, errorLine(`${replay ?? ''}${run.message}`)]
  })
}

function groupLines(groups: readonly ErrorGroup[]): string[] {
  const heads = columns(
    groups.map(({ fingerprint, count, replayed, first_failed_at, last_failed_at, trigger_ids }) => [
      fingerprint,
      `${count} ${count === 1 ? 'run' : 'runs'}`,
      `${replayed} replayed`,
      `${trigger_ids.length} ${trigger_ids.length === 1 ? 'trigger' : 'triggers'}`,
      `${formatUtcTime(first_failed_at)} to ${formatUtcTime(last_failed_at)}`,
    ]),
  )
  return groups.flatMap(({ example }, at) => [heads[at]!, errorLine(example.message)])
}

const errorLine = (message: string) => `${INDENT}${brief(message, LINE_CHARACTERS - INDENT.length)}`
