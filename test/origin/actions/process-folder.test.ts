import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  makeProcessFolder,
  removeAbandonedFolders,
} from '../../../origin/actions/pool/process-folder.ts'

let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-folders-'))
})
afterEach(() => rmSync(parent, { recursive: true }))

/** Starts a process that writes an executor's code to `parent` and runs until it is killed. */
async function origin() {
  const module = new URL('../../../origin/actions/pool/executor-code.ts', import.meta.url)
  const program = `import(${JSON.stringify(module)}).then(({ writeExecutorCode }) => {
    console.log(writeExecutorCode(['origin/actions/executor/executor.ts']).folder)
    setInterval(() => {}, 1000)
  })`
  const child = spawn(process.execPath, ['-e', program], {
    env: { ...process.env, TMPDIR: parent },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { folder: said.toString().trim(), kill }
}

describe('the folder for executor code', () => {
  it('of a killed origin is removed on the next start, and the folder of a running one is kept', async () => {
    const [killed, running] = await Promise.all([origin(), origin()])
    await killed.kill()
    expect(existsSync(killed.folder)).toBe(true)
    const next = await origin()
    expect(existsSync(killed.folder)).toBe(false)
    expect(existsSync(join(running.folder, 'origin'))).toBe(true)
    expect(readdirSync(parent)).toHaveLength(2)
    await Promise.all([running.kill(), next.kill()])
  })

  /** Returns the folder name of a process that has exited. */
  async function abandonedName(): Promise<string> {
    const ended = spawn(process.execPath, ['-e', ''])
    await once(ended, 'exit')
    const own = makeProcessFolder(parent)
    rmSync(own, { recursive: true })
    return basename(own).replace(`-${process.pid}-`, `-${ended.pid}-`)
  }

  it('symlink attack: a symbolic link does not get another folder removed', async () => {
    const target = join(parent, 'keys')
    mkdirSync(target)
    writeFileSync(join(target, 'root-key'), 'a key')
    const name = await abandonedName()
    symlinkSync(target, join(parent, name))
    mkdirSync(join(parent, name.replace(/.{6}$/, 'abcdef')))
    symlinkSync(target, join(parent, name.replace(/.{6}$/, 'abcdef'), 'node_modules'))
    removeAbandonedFolders(parent)
    expect(readdirSync(parent).toSorted()).toEqual(['keys', name].toSorted())
    expect(readdirSync(target)).toEqual(['root-key'])
  })

  it('of another PID namespace is kept, because its process is not visible', async () => {
    const name = (await abandonedName()).replace(/^svc-executor-\d+/, 'svc-executor-1')
    mkdirSync(join(parent, name))
    mkdirSync(join(parent, 'svc-executor-abcdef'))
    removeAbandonedFolders(parent)
    expect(readdirSync(parent)).toHaveLength(2)
  })
})
