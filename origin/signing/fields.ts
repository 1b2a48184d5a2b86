import { tryParseJson } from '../../shared/json/try-parse-json.ts'
import { SIGNING_INPUT_MAX_BYTES } from '../../shared/limits.ts'
import { DeniedError } from '../../shared/policies/denial.ts'
import { requireFields } from '../../shared/policies/fields.ts'
import type { SigningOperation } from '../actions/run.ts'

/** The action passed something that cannot be signed. The message is shown to the action's author. */
export class SigningInputError extends Error {
  override name = 'SigningInputError'
}

/**
 * Converts a signing operation to a request in the form of docs/policies.md#requests. Does not check its fields.
 * @throws {DeniedError} if the operation does not contain valid JSON, or exceeds the limit
 */
export function requestOf(operation: SigningOperation): object {
  switch (operation.name) {
    case 'signMessage':
      return { kind: 'message', bytes: operation.message }
    case 'signDigest':
      return { kind: 'digest', digest: operation.digest }
    case 'signTransaction':
      return {
        kind: 'transaction',
        transaction: readJson(operation.transaction, 'transaction'),
      }
    case 'signTypedData': {
      const bytes = Buffer.byteLength(operation.typedData)
      if (bytes > SIGNING_INPUT_MAX_BYTES)
        throw new DeniedError(
          'data_too_long',
          `the typed data has ${bytes} bytes of JSON; the limit is ${SIGNING_INPUT_MAX_BYTES}`,
        )
      const fields = requireFields(readJson(operation.typedData, 'typed data'), 'typed data')
      return {
        kind: 'typed_data',
        domain: fields.value('domain'),
        types: fields.value('types'),
        value: fields.value('value'),
      }
    }
  }
}

function readJson(text: string, path: string): unknown {
  const value = tryParseJson(text)
  if (value === undefined) throw new DeniedError('malformed_request', `${path}: expected JSON`)
  return value
}
