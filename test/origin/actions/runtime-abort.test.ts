/* oxlint-disable unicorn/prefer-add-event-listener -- onabort itself is under test */
import { describe, expect, it } from 'vitest'
import { sameAsNode } from './same-as-node.ts'
import { sharedPool } from './sandbox.ts'

const sandbox = sharedPool()

describe('AbortController and AbortSignal', () => {
  it('abort once with the reason, and notify every listener in order, as in Node', () =>
    sameAsNode(sandbox, [0], () => {
      const { signal } = new AbortController()
      const controller = new AbortController()
      const seen: unknown[] = [signal.aborted, signal.reason, controller.signal.onabort]
      const listener = (event: Event) => {
        seen.push([event.type, event.target === controller.signal, event.eventPhase, event.bubbles])
      }
      controller.signal.addEventListener('abort', listener)
      controller.signal.addEventListener('abort', listener)
      controller.signal.onabort = () => seen.push('replaced')
      controller.signal.addEventListener('abort', { handleEvent: () => seen.push('object') })
      controller.signal.addEventListener('abort', () => seen.push('once'), { once: true })
      controller.signal.addEventListener('abort', () => seen.push('never'))
      const gone = () => seen.push('gone')
      controller.signal.addEventListener('abort', gone)
      controller.signal.removeEventListener('abort', gone)
      controller.signal.onabort = () => seen.push('handler')
      controller.abort('why')
      controller.abort('again')
      seen.push(controller.signal.aborted, controller.signal.reason)
      return seen
    }))

  it('throw, and supply default reasons, as in Node', () =>
    sameAsNode(sandbox, [0, 1, 2, 3, 4, 5], (kind) => {
      const shown = (signal: AbortSignal) => {
        const { reason } = signal as { reason: DOMException }
        return [reason.name, reason.code, reason.message, reason instanceof DOMException]
      }
      const calls = [
        () => shown(AbortSignal.abort()),
        () => AbortSignal.abort(null).reason as unknown,
        () => AbortSignal.abort('x').throwIfAborted(),
        () => new AbortController().signal.throwIfAborted(),
        () => new (AbortSignal as unknown as new () => AbortSignal)(),
        () => Object.create(AbortSignal.prototype).aborted,
      ]
      try {
        return calls[kind]?.()
      } catch (error) {
        return error instanceof Error ? error.name : error
      }
    }))

  it('time out with a TimeoutError, as in Node', () =>
    sameAsNode(sandbox, [0], async () => {
      const signal = AbortSignal.timeout(5)
      const before = signal.aborted
      await new Promise((done) => signal.addEventListener('abort', done))
      const { reason } = signal as { reason: DOMException }
      return [before, signal.aborted, reason.name, reason.code, reason.message]
    }))

  it('follow any of several signals, as in Node', () =>
    sameAsNode(sandbox, [0], () => {
      const [a, b] = [new AbortController(), new AbortController()]
      const order: string[] = []
      const any = AbortSignal.any([a.signal, b.signal])
      const nested = AbortSignal.any([any])
      any.onabort = () => order.push('any')
      nested.onabort = () => order.push('nested')
      b.signal.onabort = () => order.push('source')
      const before = any.aborted
      b.abort('b')
      a.abort('a')
      const done = AbortSignal.any([AbortSignal.abort(1), AbortSignal.abort(2)])
      const none = AbortSignal.any([])
      return [before, any.reason, nested.reason, order.length, done.reason, none.aborted]
    }))

  it('accept only signals', () =>
    sameAsNode(sandbox, [0, 1, 2], (kind) => {
      const values: unknown[] = [[{}], {}, [null]]
      return AbortSignal.any(values[kind] as AbortSignal[]).aborted
    }))
})

describe('Event and EventTarget', () => {
  it('dispatch as in Node', () =>
    sameAsNode(sandbox, [0], () => {
      const target = new EventTarget()
      const seen: unknown[] = []
      const controller = new AbortController()
      target.addEventListener('x', (event) => {
        seen.push([event.type, event.currentTarget === target, event.cancelable])
        event.preventDefault()
      })
      target.addEventListener('x', () => seen.push('with a signal'), { signal: controller.signal })
      const event = new Event('x', { cancelable: true })
      seen.push(target.dispatchEvent(event), event.defaultPrevented, event.currentTarget)
      controller.abort()
      seen.push(target.dispatchEvent(new Event('x')))
      target.addEventListener('y', (early) => early.stopImmediatePropagation())
      target.addEventListener('y', () => seen.push('never'))
      seen.push(target.dispatchEvent(new Event('y')), target.dispatchEvent(new Event('z')))
      return seen
    }))

  it('do not call a listener that is added during dispatch', async () => {
    const code = `const main = () => {
      const target = new EventTarget()
      const seen = []
      target.addEventListener('x', () => { seen.push(1); target.addEventListener('x', () => seen.push(2)) }, { once: true })
      target.dispatchEvent(new Event('x'))
      seen.push('then')
      target.dispatchEvent(new Event('x'))
      return seen
    }`
    expect(await sandbox.value(code)).toEqual([1, 'then', 2])
  })

  it('can be extended by classes of an action', async () => {
    const code = `class Feed extends EventTarget { emit(x) { this.dispatchEvent(new Event(x)) } }
      const main = () => { const f = new Feed(); let n = 0; f.addEventListener('a', () => n++); f.emit('a'); f.emit('b'); return n }`
    expect(await sandbox.value(code)).toBe(1)
  })

  it.each(['new Event()', 'Event("x")', 'new EventTarget().addEventListener("x")'])(
    '%s throws a TypeError',
    async (expression) => {
      const code = `const main = () => { try { ${expression} } catch (error) { return error.name } }`
      expect(await sandbox.value(code)).toBe('TypeError')
    },
  )
})

describe('DOMException', () => {
  it('behaves as in Node', () =>
    sameAsNode(
      sandbox,
      [
        [],
        ['m'],
        ['m', 'AbortError'],
        ['m', 'Mine'],
        ['m', 'toString'],
        ['m', { name: 'DataCloneError', cause: 7 }],
        [5, null],
      ],
      (given) => {
        const made = new DOMException(...(given as [string, string]))
        return [
          made.name,
          made.message,
          made.code,
          made.cause,
          String(made),
          made instanceof Error,
          Object.prototype.toString.call(made),
          typeof made.stack,
          (Error as unknown as { isError(value: unknown): boolean }).isError(made),
        ]
      },
    ))

  it('has the same constants as in Node', () =>
    sameAsNode(sandbox, [0], () => {
      const names = Object.keys(DOMException).filter((name) => name.endsWith('_ERR'))
      return names
        .toSorted()
        .map((name) => [name, (DOMException as unknown as Record<string, number>)[name]])
    }))
})
