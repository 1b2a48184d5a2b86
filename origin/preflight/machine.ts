import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ENVIRONMENTS } from '../../shared/config/environments.ts'
import { causeCode } from '../../shared/errors/cause-code.ts'
import { type Check, fault, ok, skipped } from '../../shared/preflight/checks.ts'
import { ROOT_KEY_FILE } from '../keys/root-key-file.ts'
import { KeyChainError } from '../tee/dstack/key-chain.ts'
import { TeeMismatchError, TeeUnavailableError } from '../tee/provider.ts'
import { selectTee, type TeeOptions } from '../tee/select-tee.ts'

const MACHINE = 'machine'
const ROOT_KEY = 'root key'

type MachineChecks = { checks: Check[]; rootKey?: Uint8Array }

/** Opens the machine and its root key as the origin does at its start, but never creates a root key. */
export async function checkMachine(given: Omit<TeeOptions, 'log'>): Promise<MachineChecks> {
  const { settings, stateDir } = given
  const isSimulated = settings.SVC_TEE === 'simulated'
  if (isSimulated && !ENVIRONMENTS[settings.SVC_ENV].isPublic)
    if (!existsSync(join(stateDir, ROOT_KEY_FILE)))
      return { checks: [skipped(ROOT_KEY, 'created at the first start')] }
  try {
    const { tee, rootKey } = await selectTee({ ...given, log: () => {} })
    const { app_id, compose_hash } = await tee.info()
    const machine = ok(MACHINE, `${tee.mode}, app ID ${app_id}, compose hash ${compose_hash}`)
    const source = isSimulated ? `the file ${ROOT_KEY_FILE}` : 'the KMS of SVC_KMS_ROOT'
    return { checks: [machine, ok(ROOT_KEY, `from ${source}`)], rootKey }
  } catch (error) {
    return { checks: [failure(error, isSimulated)] }
  }
}

/** Messages of these errors, and of the root key's file, contain no secrets. */
function failure(error: unknown, isSimulated: boolean): Check {
  if (error instanceof KeyChainError) return fault(ROOT_KEY, error.message)
  if (error instanceof TeeMismatchError || error instanceof TeeUnavailableError)
    return fault(MACHINE, error.message)
  return fault(
    isSimulated ? ROOT_KEY : MACHINE,
    error instanceof Error && isSimulated ? error.message : causeCode(error),
  )
}
