/** Follows docs/backup.md step by step. Must run last, because it stops the stack. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { Stack } from '../../../origin/stack/stack.ts'
import { anyPorts, type StartedStack } from '../stack.ts'
import { isCommands, root } from './blocks.ts'
import { blockWith, documents } from './documents.ts'
import { inPlaceOf } from './in-place-of.ts'
import { readPage } from './page-shell.ts'
import { definitions } from './readings.ts'

const PAGE = 'docs/backup.md'

export function backupRestores(stack: () => StartedStack): void {
  it('restores the account and wallet from the backup described in docs/backup.md', async () => {
    const { stateDir } = stack()
    const reader = mkdtempSync(join(tmpdir(), 'svc-restore-'))
    const restored = join(reader, 'restored')
    const [make, ...ask] = documents.get(PAGE)!.filter(isCommands)
    const known = `${reader}/known`
    const read = (
      blocks: (typeof ask)[number][],
      before: string,
      inPlace: Record<string, string>,
    ) =>
      readPage(
        blocks,
        { folder: reader, environment: {}, inPlaceOf: inPlace, open: async () => {} },
        [definitions(), before],
      )
    const noted = { ...make!, text: `${make!.text}\ndeclare -p KEPT_KEY KEPT_WALLET > ${known}\n` }
    await read([noted], '', inPlaceOf(stack()))

    const copy = (text: string) => text.replaceAll('/backup/svc-2026-11-23', join(reader, 'backup'))
    const [out, back] = ['cp -a .svc', 'cp -a /backup'].map((text) => copy(blockWith(PAGE, text)))
    const [cpBack, start] = back!.trim().split('\n')
    expect(start).toMatch(/^SVC_STATE_DIR=restored .* npm start$/)
    await stack().stack.stop()
    const commands = `${out!.replace('.svc', stateDir)}\ncd ${reader}\n${cpBack}`
    await promisify(execFile)('bash', ['-euc', commands], { cwd: root })

    const again = await Stack.start({
      stateDir: restored,
      environment: anyPorts,
      onLine: () => {},
    })
    try {
      const here = inPlaceOf({
        ...stack(),
        stack: again,
        baseUrl: again.baseUrl,
        triggersUrl: again.triggersUrl,
      })
      const printed = await read(ask, `. ${known}`, here)
      const [isRestored, health] = [...printed.values()]
      expect(isRestored!.trim()).toBe('restored')
      expect(health).toContain('"status"')
    } finally {
      await again.stop()
      rmSync(reader, { recursive: true, force: true })
    }
  })
}
