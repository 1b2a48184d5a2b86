import type { Command } from 'commander'
import type { TriggerLogEntry } from '../../../client/triggers/trigger-log.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../terminal.ts'
import { columns } from '../columns.ts'
import { addExamples } from '../examples.ts'

/** Entries that are printed without `--export`. */
const SHOWN = 50

type AuditOptions = { trigger?: string; export?: string; since?: string }

export function registerTriggerAudit(trigger: Command, cli: Cli): void {
  const command = cli
    .command(trigger, 'audit', `Show the latest ${SHOWN} changes of your triggers.`)
    .option('--trigger <id>', 'show only changes of this trigger')
    .option('--export <file>', 'verify all entries, and write them to a file, as NDJSON')
    .option('--since <file>', 'with --export, compare with an earlier export')
    .action(async ({ trigger: triggerId, export: file, since }: AuditOptions) => {
      if (since !== undefined && file === undefined)
        throw new UsageError('--since requires --export')
      if (triggerId !== undefined && file !== undefined)
        throw new UsageError('--trigger cannot be combined with --export, which writes all entries')
      const { auditLog } = (await cli.client(command, { token: true })).triggers
      if (file === undefined) {
        const { entries } = await auditLog.page({
          page_size: SHOWN,
          ...(triggerId !== undefined && { trigger_id: triggerId }),
        })
        return cli.print(command, entries, () => columns(entries.map(cells)))
      }
      const { exportTriggerLog } = await import('../../audit-log/export-trigger-log.ts')
      const exported = await exportTriggerLog(auditLog, { file, since }, cli.terminal)
      if (typeof exported === 'number') return cli.exit(exported)
      const said = { file, ...exported }
      return cli.print(command, said, () => [`Wrote ${said.entries} entries to ${file}.`])
    })
  addExamples(command, ['svc trigger audit', 'svc trigger audit --export changes.ndjson'])
}

function cells({ at, operation, subject, actor, client_address, details }: TriggerLogEntry) {
  const fields = Object.keys((details['changes'] ?? {}) as object).join(' ')
  const by = [actor.kind, actor.id, details['actor_name']].filter(Boolean).join(' ')
  return [at, operation, subject.trigger_id, by, client_address ?? '', fields]
}
