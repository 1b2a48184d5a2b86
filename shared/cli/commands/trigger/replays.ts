import type { Command } from 'commander'
import type { BulkReplayFields, Replay, ReplayPreview } from '../../../client/triggers/records.ts'
import type { TriggerOperations } from '../../../client/triggers/triggers.ts'
import { withoutUndefined } from '../../../json/without-undefined.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../terminal.ts'
import { columns, facts, formatUtcTime } from '../columns.ts'
import { addExamples } from '../examples.ts'
import { integerOf } from '../option-values.ts'
import { resolveTriggerId } from './resolve-ids.ts'

type Given = {
  trigger?: string
  error?: string
  since?: string
  until?: string
  code?: 'original' | 'current'
  perMinute?: string
  includeReplayed?: true
  idempotencyKey?: string
  preview?: true
  yes?: true
  wait: boolean
}

export function registerReplayFailed(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('replay-failed')
    .description('Replay failed runs by error, trigger or time, or by their IDs.')
    .argument('[runs...]', 'IDs of the runs')
    .option('--error <fingerprint>', 'failed runs of this error group')
    .option('--trigger <trigger>', 'failed runs of this trigger')
    .option('--since <time>', 'runs that failed at this time or later (RFC 3339)')
    .option('--until <time>', 'runs that failed before this time')
    .option('--code <which>', 'current: the trigger’s current code; original: the code of each run')
    .option('--per-minute <n>', 'maximum number of replays per minute')
    .option('--include-replayed', 'also runs that were already replayed')
    .option('--idempotency-key <text>', 'the same key starts no second replay within 24 hours')
    .option('--preview', 'only show what would be replayed')
    .option('--yes', 'do not ask for confirmation')
    .option('--no-wait', 'start the replay without waiting for its end')
  cli.withDeploymentOptions(command)
  addExamples(command, [
    'svc trigger replay-failed --trigger greeter --preview',
    'svc trigger replay-failed --since 2026-01-01T00:00:00Z --preview',
  ])
  command.action(async (runs: string[], given: Given) => {
    const { triggers } = await cli.client(command, { token: true })
    const fields = await replayFields(triggers, runs, given)
    const preview = await triggers.previewReplay(fields)
    if (given.preview) return cli.print(command, preview, () => previewLines(preview))
    for (const line of previewLines(preview)) cli.progress(command, line)
    if (!given.yes && !(await cli.confirm(`Replay ${preview.selected} runs?`))) return
    const { idempotencyKey } = given
    const started = await triggers.startReplay(fields, withoutUndefined({ idempotencyKey }))
    if (!given.wait) return cli.print(command, started, () => replayLines(started))
    cli.progress(command, `replay ${started.id}`)
    const ended = await triggers.waitForReplay(started.id)
    cli.print(command, ended, () => replayLines(ended))
  })
}

export function registerReplays(trigger: Command, cli: Cli): void {
  const command = trigger
    .command('replays')
    .description('List bulk replays, newest first, or show the progress of one.')
    .argument('[replay]', 'ID of the replay')
    .option('--cancel', 'cancel the replay; runs that it has queued stay queued')
  cli.withDeploymentOptions(command)
  addExamples(command, ['svc trigger replays'])
  command.action(async (id: string | undefined, { cancel }: { cancel?: true }) => {
    const { triggers } = await cli.client(command, { token: true })
    if (id !== undefined) {
      const replay = await (cancel ? triggers.cancelReplay(id) : triggers.replay(id))
      return cli.print(command, replay, () => replayLines(replay))
    }
    if (cancel) throw new UsageError('--cancel needs the ID of a replay')
    const replays = await triggers.replays().all()
    cli.print(command, replays, () => (replays.length === 0 ? ['no replays'] : listLines(replays)))
  })
}

async function replayFields(
  triggers: TriggerOperations,
  runs: readonly string[],
  { trigger, error, since, until, code, perMinute, includeReplayed }: Given,
): Promise<BulkReplayFields> {
  const filters = [trigger, error, since, until].filter((value) => value !== undefined)
  if (runs.length > 0 === filters.length > 0)
    throw new UsageError('give either run IDs, or --error, --trigger, --since or --until')
  return {
    ...(runs.length > 0 && { run_ids: [...runs] }),
    ...(trigger !== undefined && { trigger_id: await resolveTriggerId(triggers, trigger) }),
    ...(error !== undefined && { fingerprint: error }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(code && { code }),
    ...(perMinute !== undefined && { per_minute: integerOf('--per-minute', perMinute) }),
    ...(includeReplayed && { include_replayed: true }),
  }
}

function previewLines(preview: ReplayPreview): string[] {
  const { selected, already_replayed, triggers, per_minute, estimated_s, min_cost_cents } = preview
  const left = already_replayed > 0 ? `${already_replayed} already replayed, left out` : undefined
  return [
    ...facts({
      runs: String(selected),
      'left out': left,
      rate: `${per_minute} per minute`,
      time: `about ${Math.ceil(estimated_s / 60)} min`,
      cost: `at least ${min_cost_cents} cents if all succeed`,
    }),
    ...columns(
      triggers.map(({ trigger_id, name, runs, enabled }) => [
        `${runs} of`,
        trigger_id,
        name ?? 'deleted',
        enabled ? '' : 'disabled: skipped',
      ]),
    ),
  ]
}

function replayLines(replay: Replay): string[] {
  const { skipped, waiting_for } = replay
  const reasons = Object.entries(skipped).filter(([, count]) => count > 0)
  return facts({
    replay: replay.id,
    status: replay.status,
    selected: String(replay.selected),
    replayed: String(replay.replayed),
    skipped:
      reasons.map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`).join(', ') || '0',
    failed: String(replay.failed),
    remaining: String(replay.remaining),
    'waiting for':
      waiting_for.map(({ trigger_id }) => `room in the queue of ${trigger_id}`).join(', ') ||
      undefined,
    code: replay.code,
    rate: `${replay.per_minute} per minute`,
    created: formatUtcTime(replay.created_at),
    finished: replay.finished_at === null ? undefined : formatUtcTime(replay.finished_at),
  })
}

function listLines(replays: readonly Replay[]): string[] {
  return columns(
    replays.map(({ id, status, created_at, replayed, selected }) => [
      id,
      status,
      formatUtcTime(created_at),
      `${replayed} of ${selected} replayed`,
    ]),
  )
}
