import { describe, expect, it } from 'vitest'
import { sharedPool } from './sandbox.ts'

const sandbox = sharedPool()

const FROM_HEX = `
  const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16))
  const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('')`

const text = (value: string) => Buffer.from(value).toString('hex')

/** Key, data and the MAC for each hash, from RFC 2202 for SHA-1 and RFC 4231 for the others. */
const MACS: [string, string, string, Record<string, string>][] = [
  [
    'RFC 4231, 4.2',
    '0b'.repeat(20),
    text('Hi There'),
    {
      'SHA-1': 'b617318655057264e28bc0b6fb378c8ef146be00',
      'SHA-256': 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
      'SHA-384':
        'afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6',
      'SHA-512':
        '87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854',
    },
  ],
  [
    'RFC 4231, 4.3',
    text('Jefe'),
    text('what do ya want for nothing?'),
    {
      'SHA-1': 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79',
      'SHA-256': '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
      'SHA-384':
        'af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649',
      'SHA-512':
        '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
    },
  ],
  [
    'RFC 4231, 4.4',
    'aa'.repeat(20),
    'dd'.repeat(50),
    { 'SHA-256': '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe' },
  ],
  [
    'RFC 4231, 4.5',
    '0102030405060708090a0b0c0d0e0f10111213141516171819',
    'cd'.repeat(50),
    { 'SHA-256': '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b' },
  ],
  [
    'RFC 4231, 4.7: a key longer than a block',
    'aa'.repeat(131),
    text('Test Using Larger Than Block-Size Key - Hash Key First'),
    { 'SHA-256': '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54' },
  ],
  [
    'RFC 4231, 4.8: key and data longer than a block',
    'aa'.repeat(131),
    text(
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    ),
    { 'SHA-256': '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2' },
  ],
]

describe('HMAC', () => {
  it.each(MACS)('creates and verifies the MACs of %s', async (_name, key, data, macs) => {
    const code = `${FROM_HEX}
      async function main({ key, data, hashes }) {
        const all = []
        for (const hash of hashes) {
          const imported = await crypto.subtle.importKey('raw', bytes(key), { name: 'HMAC', hash }, false, ['sign', 'verify'])
          const mac = await crypto.subtle.sign('HMAC', imported, bytes(data))
          all.push([hash, hex(mac), await crypto.subtle.verify('HMAC', imported, mac, bytes(data))])
        }
        return all
      }`
    const value = await sandbox.value(code, { key, data, hashes: Object.keys(macs) })
    expect(value).toEqual(Object.entries(macs).map(([hash, mac]) => [hash, mac, true]))
  })
})

describe('Ed25519', () => {
  /** RFC 8032, 7.1: secret key, public key, message, signature. */
  it.each([
    [
      'test 1',
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      'test 2',
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
    [
      'test 3',
      'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
      'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
      'af82',
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    ],
  ])(
    'creates and verifies the signature of RFC 8032, %s',
    async (_name, secret, key, data, expected) => {
      const code = `${FROM_HEX}
      async function main({ secret, key, data, expected }) {
        const pkcs8 = bytes('302e020100300506032b657004220420' + secret)
        const signing = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
        const verifying = await crypto.subtle.importKey('raw', bytes(key), 'Ed25519', true, ['verify'])
        return [
          hex(await crypto.subtle.sign('Ed25519', signing, bytes(data))),
          await crypto.subtle.verify('Ed25519', verifying, bytes(expected), bytes(data)),
          await crypto.subtle.verify('Ed25519', verifying, bytes(expected), bytes(data + '00')),
        ]
      }`
      const value = await sandbox.value(code, { secret, key, data, expected })
      expect(value).toEqual([expected, true, false])
    },
  )
})

describe('ECDSA', () => {
  const P256 = {
    curve: 'P-256',
    point:
      '0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299',
  }
  const P384 = {
    curve: 'P-384',
    point:
      '04ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc138015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720',
  }
  /** RFC 6979, A.2.5 and A.2.6: key, hash, message, r and s. */
  it.each([
    [
      P256,
      'SHA-256',
      'sample',
      'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
    ],
    [
      P256,
      'SHA-256',
      'test',
      'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083',
    ],
    [
      P256,
      'SHA-512',
      'sample',
      '8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f002362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe',
    ],
    [
      P384,
      'SHA-384',
      'sample',
      '94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe4699ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8',
    ],
  ])(
    'verifies the signatures of RFC 6979: $curve with %s of %s',
    async (key, hash, data, signature) => {
      const code = `${FROM_HEX}
      async function main({ key, hash, data, signature }) {
        const how = { name: 'ECDSA', namedCurve: key.curve }
        const imported = await crypto.subtle.importKey('raw', bytes(key.point), how, true, ['verify'])
        const verified = (text, hash) =>
          crypto.subtle.verify({ name: 'ECDSA', hash }, imported, bytes(signature), new TextEncoder().encode(text))
        return [await verified(data, hash), await verified(data + '.', hash), await verified(data, 'SHA-1')]
      }`
      expect(await sandbox.value(code, { key, hash, data, signature })).toEqual([
        true,
        false,
        false,
      ])
    },
  )
})
