import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../any-text.ts'
import { sameAsNode } from './same-as-node.ts'
import { sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
type Init = ConstructorParameters<typeof Headers>[0]
const SOME = { minLength: 50, maxLength: 120 }
const name = fc.oneof(
  fc.constantFrom(
    'a',
    'A',
    'content-type',
    'Content-Type',
    'set-cookie',
    'Set-Cookie',
    'x-é',
    '',
    'a b',
  ),
  fc.string({ maxLength: 3 }),
)
const value = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '1',
    ' a b\t',
    'é',
    '€',
    'a\nb',
    '\ta\r\n',
    'a\0',
    'k=v; path=/',
    '\u0085',
  ),
  anyText({ maxLength: 4 }),
)

describe('Headers', () => {
  it('are modified and read as in Node', () => {
    const how = fc.constantFrom('append', 'set', 'delete', 'get', 'has')
    const changes = fc.array(fc.tuple(how, name, value), { maxLength: 10 })
    return fc.assert(
      fc.asyncProperty(fc.array(changes, SOME), (inputs) =>
        sameAsNode(sandbox, inputs, (list) => {
          const headers = new Headers([
            ['a', '0'],
            ['b', '1'],
          ])
          const seen: unknown[] = []
          for (const [change, key, text] of list) {
            try {
              if (change === 'append') headers.append(key, text)
              else if (change === 'set') headers.set(key, text)
              else if (change === 'delete') headers.delete(key)
              else if (change === 'get') seen.push(headers.get(key))
              else seen.push(headers.has(key))
            } catch (error) {
              seen.push((error as Error).name)
            }
            seen.push([...headers], headers.getSetCookie())
          }
          return seen
        }),
      ),
      { numRuns: 5 },
    )
  })

  it('are created from pairs or an object as in Node', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.tuple(name, value), { maxLength: 6 }), SOME),
        (inputs) =>
          sameAsNode(sandbox, inputs, (pairs) => {
            const made = (init: Init) => {
              try {
                return [...new Headers(init)]
              } catch (error) {
                return (error as Error).name
              }
            }
            const record = JSON.parse(JSON.stringify(Object.fromEntries(pairs))) as Init
            return [made(pairs), made(record)]
          }),
      ),
      { numRuns: 3 },
    ))

  it('reject any other initial value, as in Node', () =>
    sameAsNode(sandbox, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], (kind) => {
      const inits: unknown[] = [
        undefined,
        null,
        'a: b',
        [['a']],
        [['a', 'b', 'c']],
        new Headers({ x: '1' }),
        new Map([['k', 1]]),
        { a: undefined, b: null, c: [1, 2] },
        { [Symbol('s')]: '1' },
        5,
      ]
      return [...new Headers(inits[kind] as Init)]
    }))

  it('can be modified during iteration as in Node', () =>
    sameAsNode(sandbox, [0], () => {
      const headers = new Headers({ b: '2', a: '1', c: '3' })
      const seen: unknown[] = []
      for (const [key, text] of headers) {
        seen.push(key + text)
        if (seen.length === 1) headers.append('bb', 'new')
        if (seen.length === 2) headers.delete('c')
      }
      headers.forEach(function (this: unknown, text, key, owner) {
        seen.push([text, key, owner === headers, this])
      }, 7)
      const walk = headers.keys()
      return [seen, walk.next(), Object.prototype.toString.call(walk), [...headers.values()]]
    }))

  it('throw a TypeError for an object of another class', async () => {
    const code = `const main = () => ['get', 'append', 'entries', 'forEach'].map((name) => {
      try { Headers.prototype[name].call(new URLSearchParams(), 'a', 'b') } catch (error) { return error.name }
    })`
    expect(await sandbox.value(code)).toEqual(Array(4).fill('TypeError'))
  })
})
