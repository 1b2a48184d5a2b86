import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import type { Cli } from '../cli.ts'
import { isStackInstalled, spawnStack } from '../commands/up.ts'
import {
  type LocalTarget,
  localTarget,
  missingStack,
  requireLocalTarget,
  stateDirOf,
} from '../listen/local-target.ts'

/** Lines of a stack's output that are printed if it fails. */
const TAIL_LINES = 20
const PROBE_TIMEOUT_MS = 3_000

/** The local stack failed to start, or stopped. The message ends with its last output. */
export class StackStoppedError extends Error {
  override name = 'StackStoppedError'
}

export type OpenStack = {
  target: LocalTarget
  /** Rejects if a stack that was started here stops. Never resolves. */
  stopped: Promise<never>
  /** Stops the stack if it was started here. */
  close(): Promise<void>
}

/**
 * Uses the stack that runs in the state folder, or starts one in a checkout.
 * @throws {UsageError} if no stack is running, and this is not a checkout
 * @throws {StackStoppedError}
 */
export async function openStack(cli: Cli, stateDir: string | undefined): Promise<OpenStack> {
  const { signal } = cli.terminal
  const running = localTarget(cli, stateDir)
  if (running && (await responds(running, signal)))
    return { target: running, stopped: new Promise(() => undefined), close: async () => undefined }
  const folder = stateDirOf(stateDir, cli.terminal)
  if (!isStackInstalled()) missingStack(folder)
  cli.warn(`Starting the local stack in ${folder}. This takes a few seconds.`)
  const child = spawnStack({ SVC_STATE_DIR: folder }, cli.terminal, 'pipe')
  const output = outputOf(child)
  const stopped = once(child, 'exit').then(() => {
    throw new StackStoppedError(`the local stack stopped\n${output.tail()}`)
  })
  stopped.catch(() => undefined)
  const close = async () => {
    const ended = stopped.catch(() => undefined)
    child.kill('SIGTERM')
    await ended
  }
  try {
    await Promise.race([output.isReady, stopped, aborted(signal)])
    return { target: requireLocalTarget(cli, stateDir), stopped, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A stack that was killed leaves its addresses behind. */
async function responds({ stack }: LocalTarget, signal: AbortSignal): Promise<boolean> {
  try {
    const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS)
    await fetch(stack.triggersUrl, { method: 'HEAD', signal: AbortSignal.any([signal, timeout]) })
    return true
  } catch {
    signal.throwIfAborted()
    return false
  }
}

function outputOf({ stdout, stderr }: ChildProcess): { isReady: Promise<void>; tail(): string } {
  let text = ''
  let ready: () => void
  const isReady = new Promise<void>((resolve) => (ready = resolve))
  for (const stream of [stdout!, stderr!])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (/^ready in /m.test(text)) ready()
      text = text.split('\n').slice(-TAIL_LINES).join('\n')
    })
  return { isReady, tail: () => text.trim() }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
