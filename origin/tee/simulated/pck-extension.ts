import * as x509 from '@peculiar/x509'

/**
 * OID of Intel's SGX extension in PCK certificates (SGX PCK Certificate and CRL Profile, 1.3.5). In the simulated
 * extension, all IDs and security versions are zero.
 */
const SGX_EXTENSIONS = '1.2.840.113741.1.13.1'

const INTEGER = 0x02
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const ENUMERATED = 0x0a
const SEQUENCE = 0x30

export function pckExtension(): x509.Extension {
  const tcb = tlv(
    SEQUENCE,
    entry('.2.17', tlv(INTEGER, Buffer.of(0))),
    entry('.2.18', tlv(OCTET_STRING, Buffer.alloc(16))),
  )
  const value = tlv(
    SEQUENCE,
    entry('.1', tlv(OCTET_STRING, Buffer.alloc(16))),
    entry('.2', tcb),
    entry('.3', tlv(OCTET_STRING, Buffer.alloc(2))),
    entry('.4', tlv(OCTET_STRING, Buffer.alloc(6))),
    entry('.5', tlv(ENUMERATED, Buffer.of(0))),
  )
  return new x509.Extension(SGX_EXTENSIONS, false, value)
}

function entry(suffix: string, value: Buffer): Buffer {
  return tlv(SEQUENCE, oid(`${SGX_EXTENSIONS}${suffix}`), value)
}

/** Encodes a DER element (X.690, 8.1) with a value of at most 65,535 bytes. */
function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const size =
    length < 0x80
      ? Buffer.of(length)
      : length < 0x100
        ? Buffer.of(0x81, length)
        : Buffer.of(0x82, length >> 8, length & 0xff)
  return Buffer.concat([Buffer.of(tag), size, value])
}

/** Encodes a DER object identifier (X.690, 8.19). */
function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const arc of rest) {
    const septets = [arc & 0x7f]
    for (let left = arc >>> 7; left > 0; left >>>= 7) septets.unshift((left & 0x7f) | 0x80)
    bytes.push(...septets)
  }
  return tlv(OBJECT_IDENTIFIER, Buffer.from(bytes))
}
