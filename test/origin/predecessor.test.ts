import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeFolder } from '../../origin/predecessor.ts'

const modulePath = fileURLToPath(new URL('../../origin/predecessor.ts', import.meta.url))

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'svc-predecessor-'))
})
afterEach(() => rmSync(stateDir, { recursive: true, force: true }))

/** Starts another process that takes the folder and keeps it until it is killed. */
async function holder(id: string): Promise<ChildProcess> {
  const code = `
    import { takeFolder } from ${JSON.stringify(modulePath)}
    takeFolder(${JSON.stringify(stateDir)}, ${JSON.stringify(id)})
    console.log('taken')
    setInterval(() => {}, 1000)`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

describe('the predecessor of a process', () => {
  it('is undefined at the first start, and afterwards the last process that finished', () => {
    const first = takeFolder(stateDir, 'first')
    expect(first.predecessor).toBeUndefined()
    first.release()
    const second = takeFolder(stateDir, 'second')
    expect(second.predecessor).toBe('first')
    second.release()
    const third = takeFolder(stateDir, 'third')
    expect(third.predecessor).toBe('second')
    third.release()
  })

  it('can be a process that was killed', async () => {
    const child = await holder('killed')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const next = takeFolder(stateDir, 'next')
    expect(next.predecessor).toBe('killed')
    next.release()
  })

  it('mistaken identity: is never a process that still runs, even if others start next to it', async () => {
    const child = await holder('alive')
    const beside = takeFolder(stateDir, 'beside')
    expect(beside.predecessor).toBeUndefined()
    beside.release()
    child.kill('SIGKILL')
    await once(child, 'exit')
    const next = takeFolder(stateDir, 'next')
    expect(next.predecessor).toBe('alive')
    next.release()
  })
})
