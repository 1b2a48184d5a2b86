/** Executes commands in the checkout. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A command that ended with an unexpected exit code. The message contains its output. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError'
}

type Options = {
  /** Variables in addition to this process's own. */
  env?: Record<string, string>
  /** @default 0 */
  exitCode?: number
}

/**
 * Runs a command line in a shell.
 * @returns its standard output
 * @throws {CommandFailedError}
 */
export function run(command: string, { env = {}, exitCode = 0 }: Options = {}): Promise<string> {
  const options = { cwd: ROOT, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) =>
    execFile('bash', ['-euc', command], options, (error, out, err) => {
      const code = error === null ? 0 : error.code
      if (code === exitCode) return resolve(out)
      reject(new CommandFailedError(`${command}\nexit code ${code}\n${(out + err).trim()}`))
    }),
  )
}
