/** Verifies files of `formatAuditFile`. */
import { z } from 'zod'
import { auditEntrySchema } from '../../audit-log/entry.ts'
import { InvalidAuditLogError } from '../../audit-log/verify-entries.ts'
import { type SignedAuditLog, verifyAuditLog } from '../../audit-log/verify-log.ts'
import { EvidenceRejectedError } from '../../attestation/require-verified.ts'
import { InvalidJwsError } from '../../crypto/jws.ts'
import { tryParseJson } from '../../json/try-parse-json.ts'
import { readTextFile } from '../credentials/secret.ts'
import { receiptKeyFrom } from '../receipt/key-source.ts'
import { EXIT, type Terminal, UsageError } from '../terminal.ts'

const headLine = z.object({ head: z.string() })

function parseAuditFile(file: string, text: string): SignedAuditLog {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const head = headLine.safeParse(tryParseJson(lines.at(-1) ?? ''))
  if (!head.success) throw new UsageError(`${file} does not end with the head of an audit log`)
  const entries = lines.slice(0, -1).map((line, n) => {
    const entry = auditEntrySchema.safeParse(tryParseJson(line))
    if (!entry.success) throw new UsageError(`${file}: line ${n + 1} is not an entry`)
    return entry.data
  })
  return { entries, statement: head.data.head }
}

export type AuditVerifyOptions = { evidence?: string; key?: string; json?: boolean }

/** Verifies a file without using the network. @returns the exit code */
export async function verifyAuditFile(
  file: string,
  given: AuditVerifyOptions,
  terminal: Terminal,
): Promise<number> {
  const log = parseAuditFile(file, await readTextFile(file, terminal))
  const say = (value: object, line: string) =>
    terminal.write(given.json ? `${JSON.stringify(value, null, 2)}\n` : `${line}\n`)
  try {
    const { key } = await receiptKeyFrom(given, (name) => readTextFile(name, terminal))
    const head = await verifyAuditLog(log, key)
    say(
      { valid: true, head },
      `PASSED  ${head.sequence} entries of ${head.account_hash}, signed at ${head.signed_at}`,
    )
    return EXIT.ok
  } catch (error) {
    const isRefused =
      error instanceof InvalidAuditLogError ||
      error instanceof InvalidJwsError ||
      error instanceof EvidenceRejectedError
    if (!isRefused) throw error
    say({ valid: false, reason: error.message }, `FAILED  ${error.message}`)
    return EXIT.failed
  }
}
