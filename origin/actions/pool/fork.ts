import type { ForkOptions } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { replacedDescriptors } from './inherited-descriptors.ts'

const PACKAGES = dirname(
  dirname(createRequire(import.meta.url).resolve('quickjs-emscripten/package.json')),
)

/**
 * Size of V8's native stack. It must be large enough that the guest's own stack limit (`engine/vm.ts`) is reached
 * first. It is half of the 8 MB that Linux gives a main thread; a larger value could crash the process with a
 * segmentation fault.
 */
const NATIVE_STACK_KB = 4000

/**
 * Returns the options with which a sandbox process is forked. The process cannot write files, read other files than the
 * given ones, start child processes or threads, or load add-ons. Its environment contains only the time zone, and it
 * inherits no other open files.
 * @param template file descriptor, which the child inherits as descriptor 4
 * @param readable files and folders that the child may read
 */
export function sandboxedForkOptions(
  template: number,
  readable: readonly string[],
): ForkOptions & { execArgv: string[] } {
  return {
    execArgv: [
      '--permission',
      ...readable.map((path) => `--allow-fs-read=${existingPath(path)}`),
      `--stack-size=${NATIVE_STACK_KB}`,
      '--disable-warning=ExperimentalWarning',
      // The permission model does not block signals. Without this option, SIGUSR1 to another executor would open a
      // debugger in it.
      '--disable-sigusr1',
    ],
    env: { TZ: 'UTC' },
    cwd: inActions('engine'),
    serialization: 'json',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', template, ...replacedDescriptors(5, template)],
  }
}

type Files = [entry: string, ...others: string[]]

/** Returns the bundle of executors, and the files that it reads. */
export function executorFiles(): Files {
  const curve = join(PACKAGES, 'tiny-secp256k1/lib/secp256k1.wasm')
  return [inActions('executor/executor.cjs'), inActions('outbound/undici-client.cjs'), curve]
}

/** Returns the bundle of the template builder, and the files and folders that it reads. */
export function templateBuilderFiles(): Files {
  const builder = inActions('engine/template-builder.cjs')
  return [builder, inActions('guest'), inActions('ethers/bundle.js'), PACKAGES]
}

function existingPath(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} does not exist; run npm run sandbox-bundles`)
  return realpathSync(path)
}

function inActions(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url))
}
