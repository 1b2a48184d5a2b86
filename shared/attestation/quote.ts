/** Parses TDX quotes of version 4 (Intel TDX DCAP Quote Generation and Verification Library, A.3). */
import { decodeHex, encodeHex } from '../encoding/hex.ts'
import { QUOTE_MAX_BYTES } from '../limits.ts'
import { check } from './check-failed.ts'
import { SIMULATED_MARK } from './evidence.ts'
import type { Measurements } from './policy.ts'

const VERSION = 4
const ECDSA_P256 = 2
const TDX = 0x81
const SIGNED_BYTES = 632
const AUTH_AT = SIGNED_BYTES + 4
/** Intel's vendor ID. No other vendor provides quoting enclaves. */
const QE_VENDOR_ID = '939a7233f79c4ca9940a0db3957f0607'

// Layout of the authentication data (A.3.8): the signature, the signing key, the certification of the quoting enclave,
// and the certification of the enclave's key.
const QE_CERTIFICATION_AT = 64 + 64
const QE_REPORT_CERTIFICATION = 6
const QE_AUTH_DATA_AT = 384 + 64
const PCK_CERT_CHAIN = 5

export type TdxQuote = {
  /** The quote without the zero padding that a guest agent appends. */
  bytes: Uint8Array<ArrayBuffer>
  isMarkedSimulated: boolean
  teeTcbSvn: Uint8Array
  moduleSigner: Uint8Array
  moduleAttributes: Uint8Array
  tdAttributes: Uint8Array
  measurements: Measurements & { rtmr3: string }
  reportData: Uint8Array
  pckChain: string
}

/**
 * @param hex with or without 0x
 * @throws {CheckFailedError} if the text is not a TDX quote of version 4, is truncated, or is followed by other data
 */
export function parseQuote(hex: string): TdxQuote {
  check(hex.length <= 2 * QUOTE_MAX_BYTES + 2, 'the quote is too long')
  const bytes = decodeHex(hex)
  check(bytes !== undefined, 'the quote is not hex')
  check(bytes.length >= AUTH_AT, `the quote is truncated: it has ${bytes.length} bytes`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const version = view.getUint16(0, true)
  check(version === VERSION, `the quote has version ${version}, expected 4`)
  const keyType = view.getUint16(2, true)
  check(keyType === ECDSA_P256, `the quote's key has type ${keyType}, expected 2 (P-256)`)
  const teeType = view.getUint32(4, true)
  check(teeType === TDX, `the quote has TEE type 0x${teeType.toString(16)}, expected 0x81 (TDX)`)
  const slice = (at: number, length: number) => bytes.slice(at, at + length)
  check(
    encodeHex(slice(12, 16)) === QE_VENDOR_ID,
    "the quote's enclave does not have Intel's vendor ID",
  )

  const end = AUTH_AT + view.getUint32(SIGNED_BYTES, true)
  check(end <= bytes.length, 'the quote is truncated: its signature data is incomplete')
  check(
    bytes.subarray(end).every((byte) => byte === 0),
    'the quote has trailing bytes',
  )
  const hexOf = (at: number) => encodeHex(slice(at, 48))
  return {
    bytes: slice(0, end),
    isMarkedSimulated: latin1(slice(28, 20)).startsWith(SIMULATED_MARK),
    teeTcbSvn: slice(48, 16),
    moduleSigner: slice(112, 48),
    moduleAttributes: slice(160, 8),
    tdAttributes: slice(168, 8),
    measurements: {
      mrtd: hexOf(184),
      rtmr0: hexOf(376),
      rtmr1: hexOf(424),
      rtmr2: hexOf(472),
      rtmr3: hexOf(520),
    },
    reportData: slice(568, 64),
    pckChain: pckChainOf(slice(AUTH_AT, end - AUTH_AT)),
  }
}

/**
 * Extracts the PEM chain. The parts of the certification data must fill it exactly, so that no bytes stay unchecked.
 */
function pckChainOf(auth: Uint8Array<ArrayBuffer>): string {
  const view = new DataView(auth.buffer)
  const cut = 'the quote is truncated: its certification data is incomplete'
  check(auth.length >= QE_CERTIFICATION_AT + 6 + QE_AUTH_DATA_AT + 2, cut)
  const outer = view.getUint16(QE_CERTIFICATION_AT, true)
  check(
    outer === QE_REPORT_CERTIFICATION,
    `the quote's certification has type ${outer}, expected 6`,
  )
  const body = QE_CERTIFICATION_AT + 6
  const filled = body + view.getUint32(QE_CERTIFICATION_AT + 2, true) === auth.length
  check(filled, "the quote's certification has the wrong length")
  const inner = body + QE_AUTH_DATA_AT + 2 + view.getUint16(body + QE_AUTH_DATA_AT, true)
  check(auth.length >= inner + 6, cut)
  const type = view.getUint16(inner, true)
  check(
    type === PCK_CERT_CHAIN,
    `the certification of the quote's enclave has type ${type}, expected 5 (a certificate chain)`,
  )
  const chainFills = inner + 6 + view.getUint32(inner + 2, true) === auth.length
  check(chainFills, "the quote's certificate chain has the wrong length")
  return latin1(auth.subarray(inner + 6))
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}
