import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newOwner, type Owner } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

const SMALL_DISK = 'size=256m'

/** Mounts a small file system. @returns undefined without the permission to mount */
function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'svc-small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', SMALL_DISK, 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
}

/** Fills the disk. @returns a function that frees the space */
function fill(folder: string): () => void {
  const file = join(folder, 'fill')
  for (const bytes of [1 << 20, 1 << 12]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  return () => rmSync(file)
}

describe('a full disk', () => {
  let folder: string | undefined
  let started: StartedStack
  let owner: Owner
  beforeAll(async () => {
    folder = mountSmallDisk()
    if (folder === undefined) return
    started = await startStack({ folder })
    owner = await newOwner(started)
  })
  afterAll(async () => {
    if (folder === undefined) return
    await started?.stop()
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true })
  })

  it('answers webhooks with 503 and Retry-After, stores none of them, and recovers', async ({
    skip,
  }) => {
    if (folder === undefined) return skip('no right to mount a file system')
    const trigger = await owner.createTrigger('async function main({ event }) { return event.n }')
    const post = (n: number) =>
      fetch(trigger.webhook_url, {
        method: 'POST',
        body: JSON.stringify({ n, padding: 'x'.repeat(500_000) }),
      })
    expect((await post(0)).status).toBe(202)

    const free = fill(folder)
    const refused = []
    for (let n = 1; n <= 12; n++) refused.push(await post(n))
    const statuses = refused.map(({ status }) => status)
    // The first webhooks still fit into space that SQLite had allocated.
    const accepted = 1 + statuses.filter((status) => status === 202).length
    expect(statuses.slice(-5)).toEqual([503, 503, 503, 503, 503])
    expect(new Set(statuses)).toEqual(new Set(accepted > 1 ? [202, 503] : [503]))
    const last = refused.at(-1)!
    // If the runtime cannot even open the object, it does not report that the disk is full.
    expect(last.headers.get('retry-after')).toMatch(/^(5|60)$/)
    expect(await last.json()).toMatchObject({ error: 'service_unavailable' })
    expect(started.lines.some((line) => line.includes('SQLITE_FULL'))).toBe(true)

    free()
    expect((await post(13)).status).toBe(202)
    const runs = await owner.allEnded(trigger.id, 60)
    expect(runs).toHaveLength(accepted + 1)
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'success'))
    expect(runs[0]!.response).toBe(13)
  })
})
