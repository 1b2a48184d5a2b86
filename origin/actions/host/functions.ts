import {
  CIPHERTEXT_MAX_CHARACTERS,
  ENCRYPTED_MESSAGE_MAX_BYTES,
  EXECUTION_WALL_MAX_MS,
  LOGS_MAX_BYTES,
  RESULT_MAX_BYTES,
  SIGNING_INPUT_MAX_BYTES,
  TRANSACTION_JSON_MAX_CHARACTERS,
} from '../../../shared/limits.ts'
import { KEY_ID_MAX_CHARACTERS } from '../key-limit.ts'
import { clockFunctions, type RunHooks, runFunctions } from './run-functions.ts'
import { digestFunctions } from './digest.ts'
import type { HostFunctions } from './host-function.ts'
import { primitives } from './primitives.ts'
import { signatureFunctions } from './signatures.ts'
import { textFunctions } from './text.ts'
import { urlFunctions } from './url.ts'

/**
 * Collects all host functions. Only the prelude can call them directly; actions can reach them only through the
 * prelude.
 */
export function hostFunctions(hooks: () => RunHooks): HostFunctions {
  const groups = [
    runFunctions(hooks),
    textFunctions,
    urlFunctions,
    digestFunctions(hooks),
    signatureFunctions(hooks),
    clockFunctions(hooks),
    primitives(hooks),
  ]
  const all: HostFunctions = {}
  for (const [name, declared] of groups.flatMap((group) => Object.entries(group))) {
    if (name in all) throw new Error(`two host functions are named ${name}`)
    all[name] = declared
  }
  return all
}

export const HOST_CONSTANTS = {
  resultMaxBytes: RESULT_MAX_BYTES,
  logsMaxBytes: LOGS_MAX_BYTES,
  keyIdMaxCharacters: KEY_ID_MAX_CHARACTERS,
  messageMaxBytes: ENCRYPTED_MESSAGE_MAX_BYTES,
  ciphertextMaxCharacters: CIPHERTEXT_MAX_CHARACTERS,
  signingInputMaxBytes: SIGNING_INPUT_MAX_BYTES,
  transactionJsonMaxCharacters: TRANSACTION_JSON_MAX_CHARACTERS,
  waitMaxMs: EXECUTION_WALL_MAX_MS,
}
