import { fork } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TemplateDigest } from '../engine/template-file.ts'
import type { ExecutorCode } from './executor-code.ts'
import { writeExecutorCode } from './executor-code.ts'
import { EXECUTOR_ENTRY, sandboxedForkOptions, TEMPLATE_BUILDER, templateFolders } from './fork.ts'

/** What executors start from: their code, and an open file without a name with what must be in it. */
export type TemplateFile = {
  fd: number
  digest: TemplateDigest
  code: ExecutorCode
  close(): void
}

/** Making it takes some 300 ms, and a busy machine is no reason to give up. */
const BUILD_MAX_MS = 300_000

/** Standard error that is kept, to say why it failed. */
const STDERR_CHARACTERS = 2000

/** Read by hand: this is loaded before anything else of the origin, and has to be small. */
function digestIn(message: unknown): TemplateDigest | undefined {
  const said = typeof message === 'object' && message !== null && 'digest' in message
  return said && /^[0-9a-f]{64}$/.test(String(message.digest)) ? String(message.digest) : undefined
}

/**
 * Makes the template in a process of its own. The file is gone from its folder before the first action runs, and
 * executors are handed it for reading only.
 * @throws an Error with what the process wrote, when the prelude does not load or the self-test fails
 */
export async function makeTemplateFile(): Promise<TemplateFile> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-template-'))
  const path = join(folder, 'template')
  const written = openSync(path, 'wx', 0o600)
  try {
    const fd = openSync(path, 'r')
    rmSync(folder, { recursive: true })
    const building = build(written)
    // Where what follows throws first, nobody waits for it any more.
    building.catch(() => {})
    // While the other process works.
    const code = writeExecutorCode([EXECUTOR_ENTRY])
    let open = true
    const close = () => {
      if (open) closeSync(fd)
      open = false
      code.remove()
    }
    const digest = await building.catch((error: unknown) => {
      close()
      throw error
    })
    return { fd, digest, code, close }
  } finally {
    closeSync(written)
    rmSync(folder, { recursive: true, force: true })
  }
}

function build(fd: number): Promise<TemplateDigest> {
  return new Promise((resolve, reject) => {
    const child = fork(TEMPLATE_BUILDER, [], sandboxedForkOptions(fd, templateFolders()))
    const overdue = setTimeout(() => child.kill('SIGKILL'), BUILD_MAX_MS)
    let stderr = ''
    let digest: TemplateDigest | undefined
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_CHARACTERS)
    })
    child.on('message', (message) => {
      digest = digestIn(message)
    })
    child.on('error', (error) => reject(error))
    child.on('close', (code, signal) => {
      clearTimeout(overdue)
      if (code === 0 && digest !== undefined) resolve(digest)
      else
        reject(new Error(`the sandbox's template can not be made (${signal ?? code}): ${stderr}`))
    })
  })
}
