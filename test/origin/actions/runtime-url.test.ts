import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameAsNode } from './same-as-node.ts'
import { sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
const SOME = { minLength: 50, maxLength: 120 }

const words = [
  'http: https: HTTP: ftp: file: data: mailto: about: x-y: ws: / // /// \\ : @ ? # . .. %2e % %41 & = +',
  'example.com EXAMPLE.com bücher.de xn--bcher-kva.de 127.1 0x7f.1 [::1] [1:2::3%25x] 256.1.1.1 ｅｘ．com',
  ':80 :443 :0 :65536 :8080 user p:w path é 😀 | ^ ` \' " <',
].flatMap((line) => line.split(' '))
const scrap = fc.oneof(
  fc.constantFrom(...words, 'a b', '\ud800', '\t', '\n', ' ', '\0'),
  fc.string({ maxLength: 3 }),
)
const scraps = fc.array(scrap, { maxLength: 8 }).map((list) => list.join(''))
const good = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'ftp://', 'file://', 'x-y://'),
    fc.constantFrom(
      'a.example',
      'user@a.example',
      'u:p@a.example:81',
      '[::1]:8',
      '127.0.0.1',
      'é.fr',
    ),
    scraps,
  )
  .map(([scheme, host, rest]) => `${scheme}${host}/${rest}`)
const opaque = fc.constantFrom(
  'mailto:a@b',
  'data:text/plain,a b',
  'about:blank',
  'x:a?b #c',
  'x:/a',
)
const urls = fc.oneof(scraps, good, opaque)
const names = fc.constantFrom('a', 'b', 'é', '', 'a b', '\ud800', 'a+b', '😀', '%61', '&', '=')

describe('URL', () => {
  it('parses any text, with and without a base, as Node does', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(urls, fc.option(urls, { nil: undefined })), SOME),
        (inputs) =>
          sameAsNode(sandbox, inputs, ([input, base]) => {
            const from = base ?? undefined
            const url = new URL(input, from)
            const parts: unknown[] = [URL.canParse(input, from), URL.parse(input, from)?.href]
            for (const key in url) {
              const value = (url as unknown as Record<string, unknown>)[key]
              if (typeof value === 'string') parts.push(key, value)
            }
            return [
              parts.map(String).toSorted(),
              [...url.searchParams],
              String(url),
              JSON.stringify({ url }),
            ]
          }),
      ),
      { numRuns: 6 },
    ))

  it('canParse and parse agree with Node', () =>
    fc.assert(
      fc.asyncProperty(fc.array(urls, SOME), (inputs) =>
        sameAsNode(sandbox, inputs, (input) => [URL.canParse(input), URL.parse(input)]),
      ),
      { numRuns: 2 },
    ))

  it('setters change it as in Node', () => {
    const parts = ['protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname']
    const part = fc.constantFrom(...parts, 'search', 'hash', 'href')
    const change = fc.tuple(part, fc.oneof(scraps, fc.constantFrom('', '81', 'https', 'b.example')))
    const input = fc.tuple(fc.oneof(good, opaque), fc.array(change, { maxLength: 6 }))
    return fc.assert(
      fc.asyncProperty(fc.array(input, SOME), (inputs) =>
        sameAsNode(sandbox, inputs, ([text, changes]) => {
          const url = new URL(text)
          const { searchParams } = url
          const seen: unknown[] = []
          for (const [name, value] of changes) {
            try {
              ;(url as unknown as Record<string, unknown>)[name] = value
            } catch (error) {
              seen.push((error as Error).name)
            }
            seen.push(url.href, [...searchParams])
          }
          return [seen, url.searchParams === searchParams]
        }),
      ),
      { numRuns: 6 },
    )
  })

  it('reflects changes of its searchParams as in Node', () => {
    const change = fc.tuple(fc.constantFrom('append', 'set', 'delete', 'sort'), names, names)
    const input = fc.tuple(fc.oneof(good, opaque), fc.array(change, { maxLength: 5 }))
    return fc.assert(
      fc.asyncProperty(fc.array(input, SOME), (inputs) =>
        sameAsNode(sandbox, inputs, ([text, changes]) => {
          const url = new URL(text)
          const seen: unknown[] = []
          for (const [how, name, value] of changes) {
            if (how === 'append') url.searchParams.append(name, value)
            else if (how === 'set') url.searchParams.set(name, value)
            else if (how === 'delete') url.searchParams.delete(name)
            else url.searchParams.sort()
            seen.push(url.href, url.searchParams.toString(), url.searchParams.size)
          }
          return seen
        }),
      ),
      { numRuns: 4 },
    )
  })

  it('has a read-only origin and rejects receivers of another class, as in Node', () =>
    sameAsNode(sandbox, [0, 1, 2, 3, 4], (kind) => {
      const url = new URL('https://a.example/')
      const calls = [
        () => {
          ;(url as { origin: string }).origin = 'https://b.example'
          return url.origin
        },
        () => Object.create(URL.prototype).href,
        () => (URL as unknown as () => URL)(),
        () => new (URL as unknown as new () => URL)(),
        () => new URL(Object(Symbol('s')) as string),
      ]
      return calls[kind]?.()
    }))

  it('is rejected if it is longer than a million characters', async () => {
    const code = `const main = () => URL.canParse('https://a.example/' + 'x'.repeat(2 ** 20))`
    expect(await sandbox.value(code)).toBe(false)
  })
})

describe('URLSearchParams', () => {
  it('parses and serializes any text as Node does', () => {
    const text = fc.array(fc.oneof(scrap, names), { maxLength: 12 }).map((list) => list.join(''))
    return fc.assert(
      fc.asyncProperty(fc.array(text, SOME), (inputs) =>
        sameAsNode(sandbox, inputs, (input) => {
          const params = new URLSearchParams(input)
          return [[...params], params.toString(), params.size]
        }),
      ),
      { numRuns: 6 },
    )
  })

  it('is modified and read as in Node', () => {
    const change = fc.tuple(
      fc.constantFrom('append', 'set', 'delete', 'has', 'get', 'getAll', 'sort'),
      names,
      fc.option(names, { nil: undefined }),
    )
    return fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { maxLength: 12 }), SOME), (inputs) =>
        sameAsNode(sandbox, inputs, (changes) => {
          const params = new URLSearchParams('a=1&b=2&a=3&\ud800=x')
          const seen: unknown[] = []
          for (const [how, name, value] of changes) {
            if (how === 'append') params.append(name, String(value))
            else if (how === 'set') params.set(name, String(value))
            else if (how === 'delete') params.delete(name, value ?? undefined)
            else if (how === 'has') seen.push(params.has(name, value ?? undefined))
            else if (how === 'get') seen.push(params.get(name))
            else if (how === 'getAll') seen.push(params.getAll(name))
            else params.sort()
            seen.push(params.toString(), [...params.keys()], [...params.values()])
          }
          return seen
        }),
      ),
      { numRuns: 4 },
    )
  })

  it('is created from text, pairs, an object or another instance, as in Node', () =>
    sameAsNode(sandbox, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], (kind) => {
      const inits: unknown[] = [
        undefined,
        null,
        '?a=1&?b=2',
        [['a', 1], new Set(['b', null])],
        { a: 1, b: [2, 3], '\ud800': 'x', '\udbff': 'y', [Symbol.iterator]: undefined },
        new URLSearchParams('a=1'),
        new Map([['k', 'v']]),
        [['a']],
        ['ab'],
        [1],
        { [Symbol('s')]: 1 },
        new URL('https://a.example/?q=1'),
      ]
      const params = new URLSearchParams(inits[kind] as string)
      return [params.toString(), params.size, [...params]]
    }))

  it('can be modified during iteration as in Node', () =>
    sameAsNode(sandbox, [0], () => {
      const params = new URLSearchParams('a=1&b=2&c=3&d=4')
      const seen: string[] = []
      for (const [name, value] of params) {
        seen.push(name + value)
        params.delete(name)
        if (seen.length < 8) params.append('z', value)
      }
      const calls: unknown[] = []
      params.forEach(function (this: unknown, value, name, owner) {
        calls.push([value, name, owner === params, this])
      }, 'that')
      const walk = params.entries()
      const tag = Object.prototype.toString.call(walk)
      return [seen, calls, walk.next(), tag, typeof walk, Array.from(params.keys())]
    }))

  it('handles queries larger than a chunk', async () => {
    await sameAsNode(sandbox, [0, 1, 7], (shift) => {
      const query = Array.from({ length: 20_000 }, (_, at) => `n${at}=?v+%C3%A9${at}`).join('&')
      const params = new URLSearchParams('x'.repeat(shift) + query)
      return [params.size, params.get('n19999'), params.toString().length, params.get('n9999')]
    })
  })
})
