/** Files of audit logs, as `svc account audit --export` writes and `--verify` verifies them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuditLogPage } from '../../../shared/audit-log/entry.ts'
import { formatAuditFile } from '../../../shared/audit-log/format-log.ts'
import { verifyAuditFile } from '../../../shared/cli/audit-log/file.ts'
import type { Terminal } from '../../../shared/cli/terminal.ts'
import { startOrigin, type TestOrigin } from '../http/origin.ts'

let origin: TestOrigin
let folder: string
let log: AuditLogPage
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-audit-'))
  origin = await startOrigin()
  const key = await origin.account()
  for (const name of ['a', 'b']) await origin.group(key, { name })
  log = (await origin.core('audit_log?order=oldest', { key })).body
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await origin.close()
})

const verified = async (text: string, point = origin.services.keyring.receiptKey().publicKey) => {
  const file = join(folder, 'audit.ndjson')
  writeFileSync(file, text)
  let said = ''
  const terminal = { write: (line: string) => void (said += line) } as unknown as Terminal
  const code = await verifyAuditFile(file, { key: Buffer.from(point).toString('hex') }, terminal)
  return [code, said]
}
const file = (entries = log.entries) => formatAuditFile(entries, log.head.statement)

it('verifies an exported log', async () => {
  expect(await verified(file())).toEqual([0, expect.stringContaining('PASSED  3 entries')])
})

it('truncation: refuses a file without its last entry', async () => {
  expect(await verified(file(log.entries.slice(0, 2)))).toEqual([
    1,
    expect.stringContaining('FAILED  entry 3: missing, but a head names it'),
  ])
})

it('tampering: refuses a changed entry', async () => {
  const [code, said] = await verified(file().replace('"add_group"', '"get_group"'))
  expect([code, said]).toEqual([1, expect.stringContaining('does not match its hash')])
})

it('forged head: refuses a head that another key signed', async () => {
  const other = origin.services.keyring.storageKey().publicKey
  expect(await verified(file(), other)).toEqual([1, expect.stringContaining('FAILED')])
})

it('rejects a file that is not a log', async () => {
  await expect(verified('{}\n')).rejects.toThrow('does not end with the head')
})
