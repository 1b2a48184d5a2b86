import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../origin/', import.meta.url))

/** Caught within the origin, or sent as something else than an `ApiError`. */
const INTERNAL = [
  'AcmeError',
  'ActionFailedError',
  'BodyAbortedError',
  'CipherError',
  'CustomerGoneError',
  'DatabaseTlsError',
  'DeepReorgError',
  'EngineStoppedError',
  'InvalidSettingsError',
  'KeyChainError',
  'KeyRefusedError',
  'MissingEventsError',
  'NameError',
  'NoAgreementError',
  'NoAllowanceLeftError',
  'NotJsonError',
  'OperatorActionError',
  'OutboundError',
  'PermissionRevokedError',
  'SelfTestError',
  'SignatureDeniedError',
  'SignatureRefusedError',
  'SigningInputError',
  'StorageLayoutError',
  'TeeMismatchError',
  'TlsFilesError',
  'UnreadableFileError',
  'WasmLayoutError',
]

it('maps every error class of the origin that is not internal', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/^(stack|testing)\//.test(file),
  )
  const defined = files.flatMap((file) => {
    const text = readFileSync(`${root}${file}`, 'utf8')
    return [...text.matchAll(/class (\w+) extends \w*Error /g)].map(([, name]) => name!)
  })
  const mapping = readFileSync(`${root}http/failure.ts`, 'utf8')
  const mapped = [...mapping.matchAll(/case '(\w+Error)':/g)].map(([, name]) => name!)
  expect([...mapped, ...INTERNAL].toSorted()).toEqual(defined.toSorted())
})
