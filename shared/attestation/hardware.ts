/**
 * Verifies that a platform under the given root signed a quote, with checks that `@phala/dcap-qvl` lacks. Do not use
 * the related package `@phala/dcap-qvl-web`, which accepts a forged quoting enclave identity (CVE-2026-22696).
 */
import type { X509Certificate } from '@peculiar/x509'
import { QuoteVerifier } from '@phala/dcap-qvl'
import { z } from 'zod'
import { sameBytes } from '../encoding/bytes.ts'
import { decodeHex, encodeHex } from '../encoding/hex.ts'
import { checkChain, parseChain, PCK_CHAIN, spkiSha256 } from './certificate-chain.ts'
import { check, CheckFailedError, describeError } from './check-failed.ts'
import type { CheckedCollateral } from './collateral.ts'
import { checkNotRevoked } from './crl.ts'
import { type Tcb, TCB_STATUSES, type TcbStatus } from './policy.ts'
import type { TdxQuote } from './quote.ts'

/** Index of the TD attributes byte that is nonzero if the TD can be debugged (Intel TDX Module, ATTRIBUTES.TUD). */
const DEBUG_AT = 0

/**
 * @returns the worst status of the platform, the quoting enclave and the TDX module, with the applicable advisories
 * @throws {CheckFailedError} if a check fails, or the policy does not accept the TCB status
 */
export async function verifyHardware(
  quote: TdxQuote,
  checked: CheckedCollateral,
  statuses: readonly TcbStatus[],
  at: Date,
): Promise<Tcb> {
  const { root, pckCa, pckCrl, collateral } = checked
  if (root.kind === 'simulated')
    check(quote.isMarkedSimulated, 'the quote has a simulated root but is not marked as simulated')
  const chain = parseChain("the quote's chain", quote.pckChain, PCK_CHAIN)
  await checkChain(chain, root, at)
  const [pck, issuer] = chain.certificates as [X509Certificate, X509Certificate]
  const isSame = issuer.subject === pckCa.subject && spkiSha256(issuer) === spkiSha256(pckCa)
  check(isSame, "the PCK revocation list is not from the quote's certificate authority")
  checkNotRevoked(pckCrl, [pck])

  check(quote.tdAttributes[DEBUG_AT] === 0, 'debugging is enabled on the machine')
  const platform = verifyQuoteSignature(quote, checked, at)
  const module = checkTdxModule(quote, collateral.tcb_info)
  const tcb = module ? worse(platform, module) : platform
  check(
    statuses.includes(tcb.status),
    `the platform's status is ${tcb.status}, which is not accepted`,
  )
  return tcb
}

function verifyQuoteSignature(
  quote: TdxQuote,
  { root, collateral }: CheckedCollateral,
  at: Date,
): Tcb {
  const verifier = QuoteVerifier.newWithRootCa(root.der)
  const seconds = Math.floor(at.getTime() / 1000)
  try {
    const { status, advisory_ids } = verifier.verify(quote.bytes, collateral, seconds)
    const known = TCB_STATUSES.find((one) => one === status)
    check(known !== undefined, `unknown platform status: ${status}`)
    return { status: known, advisoryIds: advisory_ids }
  } catch (error) {
    if (error instanceof CheckFailedError) throw error
    throw new CheckFailedError(`the quote is invalid: ${describeError(error)}`, { cause: error })
  }
}

function worse(one: Tcb, other: Tcb): Tcb {
  const rank = ({ status }: Tcb) => TCB_STATUSES.indexOf(status)
  return {
    status: rank(other) > rank(one) ? other.status : one.status,
    advisoryIds: [...new Set([...one.advisoryIds, ...other.advisoryIds])],
  }
}

/** TDX modules in Intel's TCB info (Intel PCS API, TCB Info V3: `tdxModule`, `tdxModuleIdentities`). */
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
function checkTdxModule(quote: TdxQuote, tcbInfo: string): Tcb | undefined {
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
