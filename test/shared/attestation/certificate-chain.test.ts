import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { describe, expect, it } from 'vitest'
import {
  checkChain,
  parseChain,
  PCK_CHAIN,
  spkiSha256,
} from '../../../shared/attestation/certificate-chain.ts'
import { NOW } from './good-evidence.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags

type Made = {
  /** Options of the intermediate CA. */
  isAuthority?: boolean
  usages?: x509.KeyUsageFlags
  notAfter?: Date
  issuer?: string
  /** Option of the leaf. */
  leafIsAuthority?: boolean
}

async function made({
  isAuthority = true,
  usages = keyCertSign | cRLSign,
  notAfter = new Date('2030-01-01'),
  issuer = 'CN=SGX Root CA',
  leafIsAuthority = false,
}: Made) {
  const keys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const [rootKeys, caKeys, leafKeys] = [await keys(), await keys(), await keys()]
  const extensions = (ca: boolean, flags: x509.KeyUsageFlags) => [
    new x509.BasicConstraintsExtension(ca, undefined, true),
    new x509.KeyUsagesExtension(flags, true),
  ]
  const common = {
    signingAlgorithm: ALGORITHM,
    notBefore: new Date('2026-01-01'),
    notAfter: new Date('2030-01-01'),
  }
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...common,
    name: 'CN=SGX Root CA',
    keys: rootKeys,
    extensions: extensions(true, keyCertSign | cRLSign),
  })
  const ca = await x509.X509CertificateGenerator.create({
    ...common,
    subject: 'CN=SGX PCK Platform CA',
    issuer,
    notAfter,
    publicKey: caKeys.publicKey,
    signingKey: rootKeys.privateKey,
    extensions: extensions(isAuthority, usages),
  })
  const leaf = await x509.X509CertificateGenerator.create({
    ...common,
    subject: 'CN=SGX PCK Certificate',
    issuer: ca.subject,
    publicKey: leafKeys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: extensions(leafIsAuthority, digitalSignature),
  })
  return { pem: [leaf, ca, root].map((one) => one.toString('pem')).join('\n'), root }
}

async function judged(options: Made) {
  const { pem, root } = await made(options)
  const chain = parseChain('the chain', pem, PCK_CHAIN)
  return checkChain(chain, { spkiSha256: spkiSha256(root) }, NOW)
}

describe('a certificate chain', () => {
  it('is valid if each certificate is signed by a CA', async () => {
    await expect(judged({})).resolves.toBeUndefined()
  })

  it.each<[string, Made, string]>([
    [
      'a certificate that is no authority',
      { isAuthority: false },
      'is an issuer, but not a certificate authority',
    ],
    ['an authority for lists alone', { usages: cRLSign }, 'is not allowed to sign certificates'],
    [
      'an authority for certificates alone',
      { usages: keyCertSign },
      'is not allowed to sign revocation',
    ],
    ['an authority whose time is over', { notAfter: new Date('2026-02-01') }, 'has expired'],
    ['an authority of another name', { issuer: 'CN=SGX Root CA 2' }, 'names a different issuer'],
    [
      'a leaf that is an authority',
      { leafIsAuthority: true },
      'must not be a certificate authority',
    ],
  ])('is invalid with %s', async (_, options, reason) => {
    await expect(judged(options)).rejects.toThrow(reason)
  })

  it('is invalid under another root of the same name', async () => {
    const { pem } = await made({})
    const { root } = await made({})
    const chain = parseChain('the chain', pem, PCK_CHAIN)
    await expect(checkChain(chain, { spkiSha256: spkiSha256(root) }, NOW)).rejects.toThrow(
      'ends in a different root',
    )
  })
})
