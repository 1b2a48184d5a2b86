import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** File with the local stack's root key, which is only as secret as the file system keeps it. */
export const ROOT_KEY_FILE = 'root.key'

/**
 * Loads the root key of a state folder. Creates it at the first start.
 * @throws {Error} in production, where the root key may only come from the TEE, and if the file is damaged, because
 * replacing the key would lose every wallet
 */
export function loadRootKey(stateDir: string, environment: 'local' | 'production'): Uint8Array {
  if (environment === 'production') {
    throw new Error('SVC_ENV=production refuses a root key from a file; set SVC_TEE=dstack')
  }
  const file = join(stateDir, ROOT_KEY_FILE)
  if (!existsSync(file)) create(file)
  chmodSync(file, 0o600)
  const text = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(
      `${file} is damaged: restore it from a backup, since every wallet depends on it`,
    )
  }
  return Buffer.from(text, 'hex')
}

/**
 * Writes the whole key under another name and then links it, so that no reader sees half a key and no start replaces
 * one.
 */
function create(file: string): void {
  // Random, because two containers that share a folder can have the same process ID.
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}
