import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { AuditEntry } from '../../audit-log/entry.ts'
import type { Cli } from '../cli.ts'
import { addExamples } from './examples.ts'
import { columns } from './columns.ts'

/** Entries that are printed without `--export`. */
const SHOWN = 50

type AuditOptions = { export?: string; verify?: string; evidence?: string; key?: string }

export function registerAudit(account: Command, cli: Cli): void {
  const command = cli
    .command(account, 'audit', `Show the latest ${SHOWN} entries of the audit log.`)
    .option('--export <file>', 'write all entries and the signed head to a file, as NDJSON')
    .option('--verify <file>', 'verify a file written by --export, without using the network')
    .option('--evidence <bundle>', 'with --verify, use the key from evidence saved by svc verify')
    .option('--key <point>', 'with --verify, use this public key: 65 bytes, in hex or base64url')
    .action(async (given: AuditOptions) => {
      const { evidence, key } = given
      if (given.verify !== undefined) {
        const { verifyAuditFile } = await import('../audit-log/file.ts')
        const { json } = command.optsWithGlobals<{ json?: boolean }>()
        const options = {
          ...(evidence !== undefined && { evidence }),
          ...(key !== undefined && { key }),
          ...(json !== undefined && { json }),
        }
        return cli.exit(await verifyAuditFile(given.verify, options, cli.terminal))
      }
      const { auditLog } = await cli.client(command, { key: 'account' })
      if (given.export === undefined) {
        const { entries } = await auditLog.page({ page_size: SHOWN })
        return cli.print(command, entries, () => columns(entries.map(cells)))
      }
      const { entries, statement } = await auditLog.export()
      const { formatAuditFile } = await import('../../audit-log/format-log.ts')
      const file = resolve(cli.terminal.folder, given.export)
      writeFileSync(file, formatAuditFile(entries, statement), { mode: 0o600 })
      const said = { file: given.export, entries: entries.length }
      return cli.print(command, said, () => [`Wrote ${said.entries} entries to ${said.file}.`])
    })
  addExamples(command, ['svc account audit', 'svc account audit --export audit.ndjson'])
}

function cells({ at, operation, outcome, actor, client_address: address }: AuditEntry): string[] {
  return [at, operation, outcome, `${actor.kind} ${actor.id ?? ''}`.trim(), address ?? '']
}
