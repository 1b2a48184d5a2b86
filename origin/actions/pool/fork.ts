import type { ForkOptions } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The entry point of an executor. */
export const EXECUTOR_ENTRY = fileURLToPath(new URL('../executor/executor.ts', import.meta.url))

/**
 * V8's native stack in KB, under which the guest's own limit (`engine.ts`) must be reached first. Half of
 * the 8 MB that Linux gives a main thread: a larger figure would end in a segmentation fault instead.
 */
const NATIVE_STACK_KB = 4000

/**
 * How an executor is forked. It may read its own code and nothing else: no state folder, no writing, no
 * child processes, no threads, no add-ons; and its environment is empty, so there is no secret in it.
 */
export function executorForkOptions(): ForkOptions & { execArgv: string[] } {
  return {
    execArgv: [
      '--permission',
      ...readableFolders().map((folder) => `--allow-fs-read=${folder}`),
      `--stack-size=${NATIVE_STACK_KB}`,
      '--disable-warning=ExperimentalWarning',
      // The permission model does not stop a signal, and this one would open a debugger on another run.
      '--disable-sigusr1',
    ],
    env: { TZ: 'UTC' },
    cwd: dirname(EXECUTOR_ENTRY),
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  }
}

function readableFolders(): string[] {
  const actions = dirname(dirname(EXECUTOR_ENTRY))
  const root = dirname(dirname(actions))
  const ethers = createRequire(import.meta.url).resolve('ethers-v5/package.json')
  const packages = dirname(dirname(ethers))
  return [actions, join(root, 'shared'), join(root, 'package.json'), packages].map((path) =>
    realpathSync(path),
  )
}
