import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { formatAuditFile } from '../../audit-log/format-log.ts'
import type { TriggerLogHead, TriggerLogOperations } from '../../client/triggers/trigger-log.ts'
import { AuditLogRefused } from '../../client/verification/failures.ts'
import { tryParseJson } from '../../json/try-parse-json.ts'
import { readTextFile } from '../credentials/secret.ts'
import { EXIT, type Terminal, UsageError } from '../terminal.ts'

const headLine = z.object({
  head: z.object({ sequence: z.int(), sha256: z.string().nullable() }),
})

/**
 * Verifies the log of changes of triggers, and writes it to a file.
 * @returns the number of entries, or the exit code if the log is invalid
 */
export async function exportTriggerLog(
  auditLog: TriggerLogOperations,
  { file, since }: { file: string; since: string | undefined },
  terminal: Terminal,
): Promise<{ entries: number } | number> {
  const head = since === undefined ? undefined : await headIn(since, terminal)
  try {
    const verified = await auditLog.verify(head ? { since: head } : {})
    const text = formatAuditFile(verified.entries, verified.head)
    writeFileSync(resolve(terminal.folder, file), text, { mode: 0o600 })
    return { entries: verified.entries.length }
  } catch (error) {
    if (!(error instanceof AuditLogRefused)) throw error
    terminal.write(`FAILED  ${error.message}\n`)
    return EXIT.failed
  }
}

async function headIn(file: string, terminal: Terminal): Promise<TriggerLogHead> {
  const last = (await readTextFile(file, terminal)).trimEnd().split('\n').at(-1) ?? ''
  const read = headLine.safeParse(tryParseJson(last))
  if (!read.success) throw new UsageError(`${file} does not end with the head of a log`)
  return read.data.head
}
