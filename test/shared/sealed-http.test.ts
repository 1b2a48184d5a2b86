import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasApiKeyFormat, apiKeyIn } from '../../shared/wire/api-key.ts'
import { isProxiedPath } from '../../shared/wire/core-routes.ts'
import { encodeFrame, decodeFrame } from '../../shared/wire/sealed-http.ts'

const bytes = fc.uint8Array({ maxLength: 2_000 }).map((array) => Uint8Array.from(array))

describe('a framed request', () => {
  it('unframes to the original parts, with or without spare room', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.dictionary(fc.string(), fc.string()),
        fc.nat(200),
        (body, head, free) => {
          const room = new Uint8Array(body.length + free)
          room.set(body)
          const parts = decodeFrame(encodeFrame(room, body.length, head))
          expect(parts?.body).toEqual(body)
          expect(parts?.head).toBe(JSON.stringify(head))
        },
      ),
    )
  })

  it('uses the given room, so that a body is not copied', () => {
    const room = new Uint8Array(100)
    expect(encodeFrame(room, 10, { a: 1 }).buffer).toBe(room.buffer)
    expect(encodeFrame(new Uint8Array(10), 10, { a: 1 }).buffer).not.toBe(room.buffer)
  })

  it('unframes any bytes without an error', () => {
    fc.assert(
      fc.property(bytes, (any) => {
        const parts = decodeFrame(any)
        if (parts) expect(parts.body.length).toBeLessThanOrEqual(any.length - 4)
      }),
    )
  })
})

describe('a path', () => {
  it('of an action key lookup is not forwarded, sealed or not', () => {
    expect(isProxiedPath('/core/v1/get_svc_action_wallet')).toBe(false)
    expect(isProxiedPath('/core/v1/get_svc_action_ipfs_id')).toBe(true)
  })

  it('that is forwarded is the same path to every URL parser', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '%2e',
      '%2f',
      '\\',
      '//',
      '/',
      'a',
      '?',
      '#',
      '@',
      ':',
      '\n',
      'sealed',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = `/core/v1/${pieces.join('')}`
        if (!isProxiedPath(path)) return
        const url = new URL(path, 'https://origin.test')
        expect([url.host, url.pathname, url.search]).toEqual(['origin.test', path, ''])
        expect(url.pathname.startsWith('/core/v1/')).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a key', () => {
  it('must be 32 bytes in base64', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (array) => {
        expect(hasApiKeyFormat(Buffer.from(array).toString('base64'))).toBe(true)
        expect(hasApiKeyFormat(Buffer.from(array).toString('base64url'))).toBe(false)
        expect(hasApiKeyFormat(Buffer.from(array.subarray(1)).toString('base64'))).toBe(false)
      }),
    )
  })

  it('is rejected if it decodes to 32 bytes but is not their canonical encoding', () => {
    const text = Buffer.alloc(32).toString('base64')
    expect(hasApiKeyFormat(text)).toBe(true)
    const other = `${text.slice(0, 42)}B=`
    expect(Buffer.from(other, 'base64')).toEqual(Buffer.alloc(32))
    expect(hasApiKeyFormat(other)).toBe(false)
  })

  it('in Authorization takes precedence over X-Api-Key', () => {
    const headers = new Headers({ authorization: 'Bearer  one', 'x-api-key': 'two' })
    expect(apiKeyIn(headers)).toBe('one')
    expect(apiKeyIn(new Headers({ authorization: 'Basic one', 'x-api-key': ' two ' }))).toBe('two')
    expect(apiKeyIn(new Headers({ 'x-api-key': ' ' }))).toBeUndefined()
  })
})
