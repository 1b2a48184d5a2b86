/** The file that credentials are kept in: its owner's alone, and never half written. */
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

const OWNER_ALONE = 0o077
const OTHERS_WRITE = 0o022

/** A change takes milliseconds; who holds the lock for longer has died with it. */
const LOCK_STALE_MS = 5_000
const LOCK_AGAIN_MS = 20

/** `$SVC_CONFIG_DIR`, `$XDG_CONFIG_HOME/svc` or `~/.config/svc`. An empty variable is none (XDG Base Directory). */
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
 * @returns `undefined` where there is no file
 * @throws {UsageError} where others can read it, or it is not a plain file of this user
 */
export function readCredentialsFile(file: string): string | undefined {
  let descriptor: number
  try {
    // Not through a link: whoever could place one could have us read, and later replace, another file.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new UsageError(code === 'ELOOP' ? isLink(file) : `${file}: ${message}`)
  }
  try {
    // Of what was opened, and not of what the name means by now.
    const { mode, uid } = fstatSync(descriptor)
    if (uid !== process.getuid?.()) throw new UsageError(`${file} is another user’s; not read`)
    if ((mode & OWNER_ALONE) !== 0)
      throw new UsageError(`${file} can be read by others; not read. Run: chmod 600 ${file}`)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** @throws {UsageError} where the folder or the file is not this user's alone */
export function writeCredentialsFile(file: string, text: string): void {
  requireNoLink(file)
  const unfinished = `${file}.${process.pid}.new`
  rmSync(unfinished, { force: true })
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  try {
    const descriptor = openSync(unfinished, flags, 0o600)
    try {
      // All of it, or an error: a single write ends early, and says nothing, where the disk becomes full.
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw new UsageError(`${file} was not written: ${(error as Error).message}`)
  }
}

/** Runs `change` while no other `svc` changes the file: of two that each keep a key, none is lost. */
export async function whileLocked<Value>(
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
      throw new UsageError(`${folder} can be written by others. Run: chmod 700 ${folder}`)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${folder}: ${(error as Error).message}`)
  }
}

function requireNoLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new UsageError(isLink(file))
}

const isLink = (file: string) => `${file} is a symbolic link, which is not followed. Remove it`

function ageMs(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false })
  // Also one of the future, which the clock was put back from: it would be waited for until then.
  return stat ? Math.abs(Date.now() - stat.mtimeMs) : 0
}
