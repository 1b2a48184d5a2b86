/**
 * Software authenticator and its browser (WebAuthn, section 6.3; CTAP 2.1). Stores discoverable credentials, creates
 * real attestation objects and assertions, and can produce faulty ones. Uses web standards only, so that it runs in
 * workerd.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

/** Deviations from the options, as an attacker's authenticator or page would produce them. */
export type Faults = {
  origin?: string
  rpId?: string
  challenge?: string
  /** Type in the client data, such as `webauthn.get` in a registration. */
  type?: string
  crossOrigin?: boolean
  topOrigin?: string
  userHandle?: string | null
  /** ID reported by the browser. The authenticator signs with its own. */
  credentialId?: string
  /** ID of a new credential, which is random by default. */
  drawnId?: string
  isUserVerified?: boolean
  isUserPresent?: boolean
  counter?: number
  /** Changes the signed bytes after signing. */
  isTampered?: boolean
  /** Signs with the key of another credential. */
  signer?: Credential
  attestation?: 'none' | 'self' | { format: string; statement: Map<string, Cbor> }
}

export type Credential = {
  id: string
  rpId: string
  userHandle: string
  counter: number
  algorithm: Algorithm
  keys: Keys
}

/** A key type that both Node and workerd define. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>
type Keys = { publicKey: Key; privateKey: Key }

export class Authenticator {
  readonly credentials: Credential[] = []
  readonly #origin: string
  readonly #countsUses: boolean

  /** @param origin of the page that the user believes to be on */
  constructor(origin: string, { countsUses = true } = {}) {
    this.#origin = origin
    this.#countsUses = countsUses
  }

  async register(
    options: PublicKeyCredentialCreationOptionsJSON,
    faults: Faults = {},
    algorithm: Algorithm = 'ES256',
  ): Promise<RegistrationResponseJSON> {
    const keys = await newKeys(algorithm)
    const id = faults.drawnId ?? encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
    const rpId = options.rp.id!
    const made = { id, rpId, userHandle: options.user.id, counter: 0, algorithm, keys }
    this.credentials.push(made)
    const clientData = this.#clientData('webauthn.create', options.challenge, faults)
    const authData = concat(
      await rpIdHash(faults.rpId ?? rpId),
      flags(faults, { isAttested: true }),
      counterBytes(faults.counter ?? made.counter),
      new Uint8Array(16),
      Uint8Array.of(0, 16),
      decodeBase64url(id)!,
      cbor(await coseKey(made)),
    )
    const { attestation = 'none' } = faults
    const signed = concat(authData, await sha256(clientData))
    const [format, statement] =
      attestation === 'none'
        ? ['none', new Map<string, Cbor>()]
        : attestation === 'self'
          ? ['packed', await selfAttestation(made, signed)]
          : [attestation.format, attestation.statement]
    const attestationObject = cbor(
      new Map<string, Cbor>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', authData],
      ]),
    )
    const said = faults.credentialId ?? id
    return {
      id: said,
      rawId: said,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: encodeBase64url(clientData),
        attestationObject: encodeBase64url(attestationObject),
        transports: ['internal', 'hybrid'],
      },
    }
  }

  /** Signs in, by default with the newest credential. */
  async signIn(
    options: PublicKeyCredentialRequestOptionsJSON,
    faults: Faults = {},
    credential = this.credentials.at(-1)!,
  ): Promise<AuthenticationResponseJSON> {
    if (this.#countsUses) credential.counter += 1
    const clientData = this.#clientData('webauthn.get', options.challenge, faults)
    const authData = concat(
      await rpIdHash(faults.rpId ?? options.rpId!),
      flags(faults, { isAttested: false }),
      counterBytes(faults.counter ?? credential.counter),
    )
    const signer = faults.signer ?? credential
    const signature = await sign(signer, concat(authData, await sha256(clientData)))
    if (faults.isTampered) authData[36]! ^= 1
    const { userHandle = credential.userHandle } = faults
    const said = faults.credentialId ?? credential.id
    return {
      id: said,
      rawId: said,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: encodeBase64url(clientData),
        authenticatorData: encodeBase64url(authData),
        signature: encodeBase64url(signature),
        ...(userHandle !== null && { userHandle }),
      },
    }
  }

  #clientData(type: string, challenge: string, faults: Faults): Uint8Array<ArrayBuffer> {
    const said = {
      type: faults.type ?? type,
      challenge: faults.challenge ?? challenge,
      origin: faults.origin ?? this.#origin,
      crossOrigin: faults.crossOrigin ?? false,
      ...(faults.topOrigin !== undefined && { topOrigin: faults.topOrigin }),
    }
    return utf8(JSON.stringify(said))
  }
}

function flags({ isUserPresent = true, isUserVerified = true }: Faults, { isAttested = false }) {
  return Uint8Array.of((isUserPresent ? 1 : 0) | (isUserVerified ? 4 : 0) | (isAttested ? 64 : 0))
}

function counterBytes(counter: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, counter)
  return bytes
}

const PARAMETERS = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
  RS256: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
  },
}

async function newKeys(algorithm: Algorithm): Promise<Keys> {
  const keys = await crypto.subtle.generateKey(PARAMETERS[algorithm], true, ['sign', 'verify'])
  return keys as Keys
}

async function sign({ algorithm, keys }: Credential, bytes: Uint8Array<ArrayBuffer>) {
  const parameters = PARAMETERS[algorithm]
  const raw = new Uint8Array(await crypto.subtle.sign(parameters, keys.privateKey, bytes))
  return algorithm === 'ES256' ? derSignature(raw) : raw
}

/** Self attestation (WebAuthn, section 8.2), signed with the new key itself. */
async function selfAttestation(
  made: Credential,
  signed: Uint8Array<ArrayBuffer>,
): Promise<Map<string, Cbor>> {
  return new Map<string, Cbor>([
    ['alg', COSE_ALGORITHMS[made.algorithm]],
    ['sig', await sign(made, signed)],
  ])
}

/** Converts a raw signature to ASN.1 DER (WebAuthn, section 6.5.5). */
function derSignature(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const numbers = [raw.slice(0, 32), raw.slice(32)].map((bytes) => {
    const firstSet = bytes.findIndex((byte) => byte !== 0)
    const short = bytes.slice(firstSet === -1 ? 31 : firstSet)
    const positive = short[0]! > 127 ? concat(Uint8Array.of(0), short) : short
    return concat(Uint8Array.of(2, positive.length), positive)
  })
  const both = concat(...numbers)
  return concat(Uint8Array.of(0x30, both.length), both)
}

const COSE_ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 }

/** Encodes a public key as in RFC 9053, sections 7.1 and 7.2, and RFC 8230, section 4. */
async function coseKey({ algorithm, keys }: Credential): Promise<Map<number, Cbor>> {
  const jwk: object = await crypto.subtle.exportKey('jwk', keys.publicKey)
  const part = (name: 'x' | 'y' | 'n' | 'e') => decodeBase64url(Reflect.get(jwk, name) as string)!
  const alg: [number, Cbor] = [3, COSE_ALGORITHMS[algorithm]]
  switch (algorithm) {
    case 'ES256':
      return new Map<number, Cbor>([[1, 2], alg, [-1, 1], [-2, part('x')], [-3, part('y')]])
    case 'EdDSA':
      return new Map<number, Cbor>([[1, 1], alg, [-1, 6], [-2, part('x')]])
    case 'RS256':
      return new Map<number, Cbor>([[1, 3], alg, [-1, part('n')], [-2, part('e')]])
  }
}

export type Cbor = number | string | Uint8Array | Cbor[] | Map<string, Cbor> | Map<number, Cbor>

/** Encodes the subset of CBOR (RFC 8949, section 3) that an authenticator needs. */
function cbor(value: Cbor): Uint8Array<ArrayBuffer> {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (value instanceof Uint8Array) return concat(head(2, value.length), value)
  if (typeof value === 'string') {
    const bytes = utf8(value)
    return concat(head(3, bytes.length), bytes)
  }
  if (Array.isArray(value)) return concat(head(4, value.length), ...value.map(cbor))
  const entries = [...(value as Map<string | number, Cbor>)]
  return concat(head(5, entries.length), ...entries.flatMap(([name, of]) => [cbor(name), cbor(of)]))
}

function head(major: number, length: number): Uint8Array<ArrayBuffer> {
  const type = major << 5
  if (length < 24) return Uint8Array.of(type | length)
  if (length < 256) return Uint8Array.of(type | 24, length)
  return Uint8Array.of(type | 25, length >> 8, length & 0xff)
}

const rpIdHash = (rpId: string) => sha256(utf8(rpId))

// Both runtimes return an unshared ArrayBuffer, but Node's types do not declare it.
const utf8 = (text: string) => Uint8Array.from(new TextEncoder().encode(text))

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
