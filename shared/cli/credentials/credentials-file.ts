/**
 * Reads and writes the credentials file. Only its owner can read the file, and each write replaces the file atomically.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as slept } from 'node:timers/promises'
import { type Terminal, UsageError } from '../terminal.ts'

const NON_OWNER_BITS = 0o077
const OTHERS_WRITE = 0o022

/**
 * Age above which a lock is stale. A change takes only a few milliseconds, so an older lock was left by a process that
 * crashed.
 */
const LOCK_STALE_MS = 5_000
const LOCK_AGAIN_MS = 20

/**
 * Returns the configuration folder: `$SVC_CONFIG_DIR`, `$XDG_CONFIG_HOME/svc` or `~/.config/svc`, in this order. An
 * empty variable counts as unset (XDG Base Directory).
 */
export function configFolder({ environment }: Pick<Terminal, 'environment'>): string {
  const own = environment['SVC_CONFIG_DIR']
  if (own) return own
  const base = environment['XDG_CONFIG_HOME']
  return join(
    base?.startsWith('/') ? base : join(environment['HOME'] || homedir(), '.config'),
    'svc',
  )
}

/**
 * @returns undefined if the file does not exist
 * @throws {UsageError} if the file is readable by other users, is a symbolic link, or belongs to another user
 */
export function readCredentialsFile(file: string): string | undefined {
  let descriptor: number
  try {
    // Symbolic links are not followed. Otherwise, an attacker's link could make svc read and later replace another
    // file.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new UsageError(code === 'ELOOP' ? symbolicLinkMessage(file) : `${file}: ${message}`)
  }
  try {
    // Checks the open file's descriptor, because the path may already refer to another file.
    const { mode, uid } = fstatSync(descriptor)
    if (uid !== process.getuid?.())
      throw new UsageError(
        `${file} belongs to another user and was not read. Change its owner, or remove it`,
      )
    if ((mode & NON_OWNER_BITS) !== 0)
      throw new UsageError(
        `${file} is readable by other users and was not read. Run: chmod 600 ${file}`,
      )
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** @throws {UsageError} if the file is a symbolic link or cannot be written */
export function writeCredentialsFile(file: string, text: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new UsageError(symbolicLinkMessage(file))
  const unfinished = `${file}.${process.pid}.new`
  rmSync(unfinished, { force: true })
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  try {
    const descriptor = openSync(unfinished, flags, 0o600)
    try {
      // Writes the whole text or throws. A single write() can stop early without an error if the disk fills up.
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw new UsageError(`cannot write ${file}: ${(error as Error).message}`)
  }
}

/** Locks the file during a change, so that concurrent `svc` processes do not overwrite each other's keys. */
export async function withFileLock<Value>(
  file: string,
  change: () => Value | Promise<Value>,
): Promise<Value> {
  makeFolder(dirname(file))
  const lock = `${file}.lock`
  for (;;) {
    try {
      mkdirSync(lock)
      break
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST') throw new UsageError(`${lock}: ${message}`)
      if (ageMs(lock) > LOCK_STALE_MS) rmSync(lock, { recursive: true, force: true })
      else await slept(LOCK_AGAIN_MS)
    }
  }
  try {
    return await change()
  } finally {
    rmdirSync(lock)
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { mode } = statSync(folder)
    if ((mode & OTHERS_WRITE) !== 0)
      throw new UsageError(`${folder} is writable by other users. Run: chmod 700 ${folder}`)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${folder}: ${(error as Error).message}`)
  }
}

const symbolicLinkMessage = (file: string) =>
  `${file} is a symbolic link. svc does not follow symbolic links. Replace it with a regular file, or remove it`

function ageMs(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false })
  // A lock with a time far in the future also counts as stale. Such a lock is left behind if the clock is set back.
  return stat ? Math.abs(Date.now() - stat.mtimeMs) : 0
}
