import type { ForkOptions } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { replacedDescriptors } from './inherited-descriptors.ts'

/** Entry points of the processes that run sandboxes: one as a path in the project, the other as an absolute path. */
export const EXECUTOR_ENTRY = 'origin/actions/executor/executor.ts'
export const TEMPLATE_BUILDER = fileURLToPath(
  new URL('../engine/template-builder.ts', import.meta.url),
)

/**
 * V8's native stack in KB. The guest's own limit (`engine/vm.ts`) must be reached first. This is half of the 8 MB that
 * Linux gives a main thread. With a larger value, the process would crash with a segmentation fault instead.
 */
const NATIVE_STACK_KB = 4000

/**
 * Fork options of a process that runs sandboxes. It may read only its own code. It cannot write files, read the state
 * folder, start child processes or threads, or load add-ons. Its environment contains only the time zone, and it
 * inherits no other open file.
 * @param template the file descriptor that becomes its descriptor 4
 * @param code folders with the code that it runs; it may read these and the installed packages
 */
export function sandboxedForkOptions(
  template: number,
  code: readonly string[],
): ForkOptions & { execArgv: string[] } {
  return {
    execArgv: [
      '--permission',
      ...[packages(), ...code].map((folder) => `--allow-fs-read=${realpathSync(folder)}`),
      `--stack-size=${NATIVE_STACK_KB}`,
      '--disable-warning=ExperimentalWarning',
      // The permission model does not block signals, and SIGUSR1 would open a debugger on another run.
      '--disable-sigusr1',
    ],
    env: { TZ: 'UTC' },
    cwd: dirname(TEMPLATE_BUILDER),
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', template, ...replacedDescriptors(5, template)],
  }
}

/** Paths that the template builder may read: our own code, at its place in the project. */
export function templateFolders(): string[] {
  const actions = dirname(dirname(TEMPLATE_BUILDER))
  const root = dirname(dirname(actions))
  return [actions, join(root, 'shared'), join(root, 'package.json')]
}

function packages(): string {
  const ethers = createRequire(import.meta.url).resolve('ethers-v5/package.json')
  return dirname(dirname(ethers))
}
