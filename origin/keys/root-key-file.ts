import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENVIRONMENTS, type EnvironmentName } from '../../shared/config/environments.ts'

/** File with the root key of a simulated machine, which is protected only by the file's permissions. */
export const ROOT_KEY_FILE = 'root.key'

/**
 * Loads the root key from a state folder. A local stack creates a root key if the folder does not contain one. A public
 * deployment does not, because its wallets depend on a key that exists already.
 * @throws {Error} where only the TEE may provide the root key
 * @throws {Error} if the file is missing or damaged, because replacing the key would lose every wallet
 */
export function loadRootKey(stateDir: string, environment: EnvironmentName): Uint8Array {
  const { machine, isPublic } = ENVIRONMENTS[environment]
  if (machine === 'hardware') {
    throw new Error(
      `SVC_ENV=${environment} does not allow a root key from a file; set SVC_TEE=dstack`,
    )
  }
  const file = join(stateDir, ROOT_KEY_FILE)
  if (!existsSync(file)) {
    if (isPublic)
      throw new Error(
        `${file} does not exist; restore it from a backup, or create a new one with npm run simulated-root`,
      )
    createRootKey(file)
  }
  chmodSync(file, 0o600)
  const text = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(
      `${file} is damaged; restore it from a backup, because every wallet depends on it`,
    )
  }
  return Buffer.from(text, 'hex')
}

/** Creates the root key atomically. Readers never see a partial key, and an existing key is never replaced. */
function createRootKey(file: string): void {
  // The draft's name is random, because two containers that share a folder can have the same process ID.
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
