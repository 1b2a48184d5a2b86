import { fork } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TemplateDigest } from '../engine/template-file.ts'
import { sandboxedForkOptions, templateBuilderFiles } from './fork.ts'

export type TemplateFile = {
  fd: number
  digest: TemplateDigest
  close(): void
}

/** The build takes about 300 ms, but must not fail on a busy machine. */
const BUILD_MAX_MS = 300_000

/** Number of characters of standard error that are stored, to explain why the build failed. */
const STDERR_CHARACTERS = 2000

/**
 * Returns undefined if the message is invalid. Does not use a validation library, because this module is loaded before
 * the rest of the origin and must be small.
 */
function readDigest(message: unknown): TemplateDigest | undefined {
  const hasDigest = typeof message === 'object' && message !== null && 'digest' in message
  return hasDigest && /^[0-9a-f]{64}$/.test(String(message.digest))
    ? String(message.digest)
    : undefined
}

/**
 * Builds the template in a separate process. The file is unlinked before the first action runs, and executors receive a
 * read-only file descriptor.
 * @throws an Error with the output of the process, if the prelude does not load or the self-test fails
 */
export async function buildTemplateFile(): Promise<TemplateFile> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-template-'))
  const path = join(folder, 'template')
  const writeFd = openSync(path, 'wx', 0o600)
  try {
    const fd = openSync(path, 'r')
    rmSync(folder, { recursive: true })
    let open = true
    const close = () => {
      if (open) closeSync(fd)
      open = false
    }
    const digest = await runBuilder(writeFd).catch((error: unknown) => {
      close()
      throw error
    })
    return { fd, digest, close }
  } finally {
    closeSync(writeFd)
    rmSync(folder, { recursive: true, force: true })
  }
}

function runBuilder(fd: number): Promise<TemplateDigest> {
  return new Promise((resolve, reject) => {
    const files = templateBuilderFiles()
    const child = fork(files[0], [], sandboxedForkOptions(fd, files))
    const overdue = setTimeout(() => child.kill('SIGKILL'), BUILD_MAX_MS)
    let stderr = ''
    let digest: TemplateDigest | undefined
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_CHARACTERS)
    })
    child.on('message', (message) => {
      digest = readDigest(message)
    })
    child.on('error', (error) => reject(error))
    child.on('close', (code, signal) => {
      clearTimeout(overdue)
      if (code === 0 && digest !== undefined) resolve(digest)
      else reject(new Error(`the sandbox template cannot be built (${signal ?? code}): ${stderr}`))
    })
  })
}
