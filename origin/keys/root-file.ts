import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The local stack's root key: a file, so a secret only as far as the file system keeps it. */
export const ROOT_KEY_FILE = 'root.key'

/**
 * The root key of a state folder, made at the first start.
 * @throws {Error} in production, where the root key comes from the TEE alone, and for a damaged file:
 *   a new key in its place would lose every wallet.
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

/** Written whole under another name, then linked: no reader ever sees half a key, and no start replaces one. */
function create(file: string): void {
  // Random, since two containers on one folder have the same process id.
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
