import { expect, it } from 'vitest'
import language from '../../../edge/browser/language/script.txt'
import { encodeHex } from '../../../shared/encoding/hex.ts'
import { sha256 } from '../../../edge/sha256.ts'
import { edge } from '../app.ts'

const versioned = (version: string) => `/scripts/language.js?v=${version}`
const cacheControl = async (url: string) => (await edge(url)).headers.get('cache-control')

it('lets browsers cache the worker of the editor permanently, by the hash in its URL', async () => {
  const version = encodeHex(await sha256(language))
  expect(await cacheControl(versioned(version))).toBe('public, max-age=31536000, immutable')
})

it('cache poisoning: a script is not cached permanently under another hash', async () => {
  for (const url of [versioned('0'.repeat(64)), versioned(''), '/scripts/language.js'])
    expect(await cacheControl(url)).toBe('public, max-age=300')
})

it('gives the worker no network and no evaluation of text', async () => {
  const { headers } = await edge('/scripts/language.js')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'")
})
