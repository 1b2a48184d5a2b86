import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import type { Terminal } from './terminal.ts'

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const SIGNALLED = 128
const SIGNAL_NUMBERS: Partial<Record<NodeJS.Signals, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGKILL: 9,
  SIGTERM: 15,
}

type ChildOptions = { environment: Readonly<Record<string, string>>; stdio: StdioOptions }

/** Starts Node with the terminal's folder and environment. */
export function spawnNode(
  args: readonly string[],
  terminal: Terminal,
  { environment, stdio }: ChildOptions,
): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: terminal.folder,
    env: { ...terminal.environment, ...environment },
    stdio,
  })
}

/**
 * Waits until a process has ended, and forwards signals to it.
 * @returns the exit code, or 128 plus the signal number if a signal terminated the process
 */
export async function exitOf(child: ChildProcess): Promise<number> {
  // On Ctrl-C, the terminal also signals both processes, so the child may receive the signal twice.
  const pass = FORWARDED_SIGNALS.map((signal) => [signal, () => void child.kill(signal)] as const)
  for (const [signal, handler] of pass) process.on(signal, handler)
  try {
    return await new Promise((ended, failed) => {
      child.once('error', failed)
      child.once('exit', (code, signal) =>
        ended(code ?? SIGNALLED + (SIGNAL_NUMBERS[signal ?? 'SIGTERM'] ?? 0)),
      )
    })
  } finally {
    for (const [signal, handler] of pass) process.off(signal, handler)
  }
}
