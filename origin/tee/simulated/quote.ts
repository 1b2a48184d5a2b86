import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { SIMULATED_MARK } from '../../../shared/attestation/evidence.ts'
import { signEcdsa, type SimulatedAuthority } from './authority.ts'
import { QE_SIGNER } from './collateral.ts'

const HEADER_BYTES = 48
const REPORT_BYTES = 584
const QE_REPORT_BYTES = 384
const QUOTE_VERSION = 4
const ECDSA_P256 = 2
const TDX = 0x81
const QE_VENDOR_ID = '939a7233f79c4ca9940a0db3957f0607'
/** `SEPT_VE_DISABLE`, bit 28 of the TD attributes. Verifiers require this bit. */
const SEPT_VE_DISABLE = 0x10
const PCK_CERT_CHAIN = 5
const QE_REPORT_CERTIFICATION = 6

export type TdMeasurements = { mrtd: Buffer; rtmrs: readonly [Buffer, Buffer, Buffer, Buffer] }

/**
 * Creates a version 4 TDX quote (Intel TDX DCAP Quote Generation and Verification Library, A.3). All fields have the
 * real format, and only the machine is simulated.
 * @param attestationKey P-256 key of the simulated quoting enclave
 */
export function simulatedQuote(
  authority: SimulatedAuthority,
  attestationKey: KeyObject,
  { mrtd, rtmrs }: TdMeasurements,
  reportData: Uint8Array,
): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16LE(QUOTE_VERSION, 0)
  header.writeUInt16LE(ECDSA_P256, 2)
  header.writeUInt32LE(TDX, 4)
  header.write(QE_VENDOR_ID, 12, 'hex')
  header.write(SIMULATED_MARK, 28, 'latin1')

  const report = Buffer.alloc(REPORT_BYTES)
  report[120 + 3] = SEPT_VE_DISABLE
  mrtd.copy(report, 136)
  rtmrs.forEach((rtmr, index) => rtmr.copy(report, 328 + 48 * index))
  report.set(reportData, 520)

  const signed = Buffer.concat([header, report])
  const publicKey = pointOf(attestationKey)
  const certification = qeCertification(authority, publicKey)
  const auth = Buffer.concat([
    signEcdsa(attestationKey, signed),
    publicKey,
    u16(QE_REPORT_CERTIFICATION),
    u32(certification.length),
    certification,
  ])
  return Buffer.concat([signed, u32(auth.length), auth])
}

function qeCertification(authority: SimulatedAuthority, attestationKey: Buffer): Buffer {
  const authData = Buffer.alloc(32)
  const report = Buffer.alloc(QE_REPORT_BYTES)
  QE_SIGNER.copy(report, 128)
  report.writeUInt16LE(1, 256)
  report.writeUInt16LE(1, 258)
  createHash('sha256').update(attestationKey).update(authData).digest().copy(report, 320)
  const chain = Buffer.from(authority.pck.pem + authority.pckCa.pem + authority.root.pem)
  return Buffer.concat([
    report,
    signEcdsa(authority.pck.key, report),
    u16(authData.length),
    authData,
    u16(PCK_CERT_CHAIN),
    u32(chain.length),
    chain,
  ])
}

function pointOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
