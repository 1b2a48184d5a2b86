/**
 * Checks a quote's TDX module against Intel's TCB info (Intel PCS API, TCB Info V3: `tdxModule`,
 * `tdxModuleIdentities`).
 */
import { z } from 'zod'
import { sameBytes } from '../encoding/bytes.ts'
import { decodeHex, encodeHex } from '../encoding/hex.ts'
import { check } from './check-failed.ts'
import { type Tcb, TCB_STATUSES } from './policy.ts'
import type { TdxQuote } from './quote.ts'

const identitySchema = z.object({
  mrsigner: z.string(),
  attributes: z.string(),
  attributesMask: z.string(),
})
type Identity = z.infer<typeof identitySchema>
const levelSchema = z.object({
  tcb: z.object({ isvsvn: z.int() }),
  tcbStatus: z.enum(TCB_STATUSES),
  advisoryIDs: z.array(z.string()).optional(),
})
const tcbInfoSchema = z.object({
  tdxModule: identitySchema,
  tdxModuleIdentities: z
    .array(identitySchema.extend({ id: z.string(), tcbLevels: z.array(levelSchema) }))
    .optional(),
})

/**
 * Checks a quote's TDX module, and returns its TCB status. Undefined for module version 0, for which the TCB info lists
 * no status.
 * @param tcbInfo JSON text with a verified signature
 * @throws {CheckFailedError} for a different signer, different attributes, or a version that Intel does not list
 */
export function checkTdxModule(quote: TdxQuote, tcbInfo: string): Tcb | undefined {
  const result = tcbInfoSchema.safeParse(JSON.parse(tcbInfo))
  check(result.success, 'the TCB info does not list any TDX modules')
  const { tdxModule, tdxModuleIdentities = [] } = result.data
  const [svn = 0, version = 0] = quote.teeTcbSvn
  if (version === 0) {
    checkIdentity(quote, tdxModule)
    return undefined
  }
  const id = `TDX_${encodeHex(Uint8Array.of(version))}`
  const known = tdxModuleIdentities.find((one) => one.id.toLowerCase() === id.toLowerCase())
  check(known !== undefined, `the TCB info does not list the TDX module ${id}`)
  checkIdentity(quote, known)
  const level = known.tcbLevels.find(({ tcb }) => svn >= tcb.isvsvn)
  check(level !== undefined, `the TDX module ${id} is older than any that Intel lists`)
  return { status: level.tcbStatus, advisoryIds: level.advisoryIDs ?? [] }
}

function checkIdentity(quote: TdxQuote, { mrsigner, attributes, attributesMask }: Identity): void {
  const signer = decodeHex(mrsigner)
  check(
    signer !== undefined && sameBytes(quote.moduleSigner, signer),
    'the TDX module has an unexpected signer',
  )
  const expected = decodeHex(attributes)
  const mask = decodeHex(attributesMask)
  const { moduleAttributes } = quote
  const { length } = moduleAttributes
  check(
    expected?.length === length && mask?.length === length,
    'the TCB info has attributes of the wrong length',
  )
  check(
    moduleAttributes.every((byte, at) => (byte & mask[at]!) === (expected[at]! & mask[at]!)),
    'the TDX module has unexpected attributes',
  )
}
