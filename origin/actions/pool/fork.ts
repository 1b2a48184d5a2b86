import type { ForkOptions } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { replacedDescriptors } from './inherited-descriptors.ts'

/** Entry points of the processes that hold sandboxes: as a path in the project, and where its file is. */
export const EXECUTOR_ENTRY = 'origin/actions/executor/executor.ts'
export const TEMPLATE_BUILDER = fileURLToPath(
  new URL('../engine/template-builder.ts', import.meta.url),
)

/**
 * V8's native stack in KB, under which the guest's own limit (`engine/vm.ts`) must be reached first. Half of
 * the 8 MB that Linux gives a main thread: a larger figure would end in a segmentation fault instead.
 */
const NATIVE_STACK_KB = 4000

/**
 * How a process with sandboxes is forked. It may read its own code and nothing else: no state folder, no writing, no
 * child processes, no threads, no add-ons; its environment is empty, and it inherits no other open file.
 * @param template the file descriptor that is its descriptor 4
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
      // The permission model does not stop a signal, and this one would open a debugger on another run.
      '--disable-sigusr1',
    ],
    env: { TZ: 'UTC' },
    cwd: dirname(TEMPLATE_BUILDER),
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', template, ...replacedDescriptors(5, template)],
  }
}

/** What the process that makes the template reads: our own code, as it stands in the project. */
export function templateFolders(): string[] {
  const actions = dirname(dirname(TEMPLATE_BUILDER))
  const root = dirname(dirname(actions))
  return [actions, join(root, 'shared'), join(root, 'package.json')]
}

function packages(): string {
  const ethers = createRequire(import.meta.url).resolve('ethers-v5/package.json')
  return dirname(dirname(ethers))
}
