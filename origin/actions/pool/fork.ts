import type { ForkOptions } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { replacedDescriptors } from './inherited-descriptors.ts'

/**
 * Entry points of the processes that run sandboxes. The executor's entry point is a path in the project; the template
 * builder's is an absolute path.
 */
export const EXECUTOR_ENTRY = 'origin/actions/executor/executor.ts'
export const TEMPLATE_BUILDER = fileURLToPath(
  new URL('../engine/template-builder.ts', import.meta.url),
)

/**
 * Size of V8's native stack. It must be large enough that the guest's own stack limit (`engine/vm.ts`) is reached
 * first. It is half of the 8 MB that Linux gives a main thread; a larger value could crash the process with a
 * segmentation fault.
 */
const NATIVE_STACK_KB = 4000

/**
 * Returns the options with which a sandbox process is forked. The process may read only its own code. It cannot write
 * files, read the state folder, start child processes or threads, or load add-ons. Its environment contains only the
 * time zone, and it inherits no other open files.
 * @param template file descriptor, which the child inherits as descriptor 4
 * @param code folders that the child may read, in addition to the installed packages
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
      // The permission model does not block signals. Without this option, SIGUSR1 to another executor would open a
      // debugger in it.
      '--disable-sigusr1',
    ],
    env: { TZ: 'UTC' },
    cwd: dirname(TEMPLATE_BUILDER),
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', template, ...replacedDescriptors(5, template)],
  }
}

/** Project files that the template builder process may read. */
export function templateFolders(): string[] {
  const actions = dirname(dirname(TEMPLATE_BUILDER))
  const root = dirname(dirname(actions))
  return [actions, join(root, 'shared'), join(root, 'package.json')]
}

function packages(): string {
  const ethers = createRequire(import.meta.url).resolve('ethers-v5/package.json')
  return dirname(dirname(ethers))
}
