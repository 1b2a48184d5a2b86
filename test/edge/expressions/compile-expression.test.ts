import { describe, expect, it } from 'vitest'
import {
  compileCondition,
  compileKey,
  type Variables,
} from '../../../edge/expressions/compile-expression.ts'
import { EXPRESSION_MAX_CHARACTERS, EXPRESSION_STEPS_MAX } from '../../../shared/limits.ts'

const params: Variables = {
  source: 'webhook',
  event: {
    action: 'opened',
    amount: 150,
    customer: { id: 'cus_1', tags: ['vip', 'new'] },
    items: [
      { sku: 'a', n: 1 },
      { sku: 'b', n: 5 },
    ],
    none: null,
  },
  headers: { 'x-github-event': 'issues' },
  scheduled_at: '2026-05-04T09:00:00Z',
}
const matches = (source: string, variables = params) => compileCondition(source).evaluate(variables)
const keyOf = (source: string, variables = params) => compileKey(source).evaluate(variables)

describe('a condition', () => {
  it.each([
    ['event.action == "opened"', true],
    ['event.action in ["closed", "reopened"]', false],
    ['event.amount > 100 && event.amount < 200.5', true],
    ['event.amount == 150', true],
    ['headers["x-github-event"] == "issues"', true],
    ['has(event.customer.id) && !has(event.customer.email)', true],
    ['has(event.missing) && event.missing > 3', false],
    ['event.none == null', true],
    ['event.items.exists(item, item.n > 3)', true],
    ['event.items.all(item, item.n > 3)', false],
    ['event.items.filter(item, item.n > 3).size() == 1', true],
    ['"vip" in event.customer.tags', true],
    ['event.customer.id.startsWith("cus_")', true],
    ['int(event.amount) % 2 == 0', true],
    ['source == "webhook" ? event.amount > 1 : false', true],
    ['timestamp(scheduled_at).getDate() <= 7', true],
    ['timestamp(scheduled_at).getHours("Europe/Berlin") == 11', true],
  ])('%s is %s', (source, expected) => expect(matches(source)).toBe(expected))

  it.each([
    ['event.action ==', 'Unexpected token: EOF (at character 16)'],
    ['1 + 1', 'the result is a int, expected bool'],
    ['"a" + 1 == "a"', 'no such overload: string + int (at character 1)'],
    ['foo(event)', 'unknown function foo (at character 1)'],
    ['cel.bind(x, 1, x > 0)', 'unknown function bind (at character 1)'],
    ['true && ' + 'x'.repeat(EXPRESSION_MAX_CHARACTERS), 'longer than 2000 characters'],
  ])('%s is rejected', (source, problem) => expect(() => compileCondition(source)).toThrow(problem))

  it.each([
    ['event.missing == 1', 'No such key: missing (at character 7)'],
    ['missing == 1', 'Unknown variable: missing (at character 1)'],
    ['event.none.deeper == 1', 'No such key: deeper'],
    ['event.amount', 'the result is a number, not a bool'],
    ['event.action > 3', 'no such overload'],
  ])('%s fails on an event', (source, problem) => expect(() => matches(source)).toThrow(problem))

  it('does not change the event', () => {
    const before = JSON.stringify(params)
    matches('event.items.map(item, item.n).size() + event.customer.tags.size() == 4')
    expect(JSON.stringify(params)).toBe(before)
  })

  it('can be evaluated again after it failed', () => {
    const condition = compileCondition('event.n > 3')
    expect(() => condition.evaluate({ event: {} })).toThrow('No such key')
    expect(condition.evaluate({ event: { n: 4 } })).toBe(true)
  })
})

describe('a key', () => {
  it.each([
    ['event.customer.id', 'cus_1'],
    ['event.amount', '150'],
    ['int(event.amount)', '150'],
    ['event.amount > 3', 'true'],
    ['event.none', null],
    ['has(event.x) ? event.x : null', null],
    ['event.customer.id + ":" + event.action', 'cus_1:opened'],
  ])('%s is %s', (source, expected) => expect(keyOf(source)).toBe(expected))

  it('cannot be a list or an object', () => {
    expect(() => compileKey('["a"]')).toThrow('the result is a list<string>')
    expect(() => keyOf('event.items')).toThrow('the result is a list, not a string or a number')
    expect(() => keyOf('event')).toThrow('the result is a map')
  })
})

describe('an attacker', () => {
  it('cannot stop a trigger with a regular expression (ReDoS)', () => {
    for (const source of ['event.a.matches("(a+)+$")', '"a".matches(event.pattern)'])
      expect(() => compileCondition(source)).toThrow('matches is not supported')
  })

  it('cannot stop a trigger with a long duration (ReDoS)', () => {
    const condition = 'duration(event) > duration("1h30m")'
    expect(matches(condition, { event: '2h' })).toBe(true)
    // Takes minutes if it is parsed.
    expect(() => matches(condition, { event: '1'.repeat(10_000) })).toThrow('too long')
    expect(matches('event.all(x, duration(x) > duration("1s"))', { event: ['2s', '3m'] })).toBe(
      true,
    )
  })

  it('cannot read a secret from the error of an expression', () => {
    const evaluate = () => matches('bool(event)', { event: 'hunter2' })
    expect(evaluate).toThrow('bool: the text is not a bool (at character 1)')
  })

  it('cannot reach the prototype of an object', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      expect(() => matches(`${name} == 1`)).toThrow('Unknown variable')
      expect(() => matches(`event.${name} == 1`)).toThrow('No such key')
      expect(() => matches(`event["${name}"] == 1`)).toThrow('No such key')
    }
    for (const source of ['event.__proto__ == 1', '__proto__ == 1'])
      expect(() => matches(source)).toThrow()
  })

  it('cannot make a filter match with a key named constructor', () => {
    const event = JSON.parse('{"constructor": {"name": "Array"}, "ok": true}')
    expect(() => matches('event.ok', { event })).toThrow('a key named constructor')
    expect(() => matches('!event.missing', { event })).toThrow()
  })

  const big = Array.from({ length: 500_000 }, (_, n) => n)
  const text = 'a'.repeat(2_000_000)
  const expensive: [name: string, source: string, variables: Variables][] = [
    ['long lists', 'event.all(x, x >= 0)', { event: big }],
    [
      'lists within lists',
      'event.all(x, event.all(y, x + y >= 0.0))',
      { event: big.slice(0, 2_000) },
    ],
    ['errors that are ignored', 'event.exists(x, x.y) || true', { event: big }],
    ['objects with many keys', 'event.all(x, true)', { event: { ...big } }],
    ['searches', 'event.contains(other)', { event: text, other: `${'a'.repeat(100_000)}b` }],
    [
      'searches in a loop',
      'many.all(x, event.contains("b") == false)',
      { event: text, many: big.slice(0, 1_000) },
    ],
    [
      'comparisons of large values',
      'many.all(x, event == other)',
      { event: big, other: [...big], many: [1, 2, 3] },
    ],
    ['membership in a loop', 'event.all(x, x in event)', { event: big.slice(0, 20_000) }],
    ['copies', 'many.map(x, event + event).size() > 1', { event: big, many: [1, 2, 3] }],
    ['splits', 'many.all(x, event.split("").size() > 1)', { event: text, many: [1, 2, 3] }],
    [
      'time zones',
      'many.all(x, timestamp(at).getHours("Asia/Tokyo") > 0)',
      { many: big.slice(0, 1_000), at: '2026-05-04T09:00:00Z' },
    ],
  ]
  it.each(expensive)('cannot exhaust the object with %s', (_, source, variables) => {
    const condition = compileCondition(source)
    expect(() => condition.evaluate(variables)).toThrow('too expensive for this event')
    // The step that exceeded the limit is not executed.
    expect(condition.steps).toBeGreaterThan(EXPRESSION_STEPS_MAX)
  })

  it('cannot build texts that do not fit into memory', () => {
    const doubled = '(event + event + event)'
    expect(() => matches(`${doubled}.size() > 1`, { event: text })).toThrow('text of over')
    expect(() =>
      matches('many.join(event).size() > 1', { event: text, many: ['a', 'b', 'c', 'd'] }),
    ).toThrow('text of over')
  })

  it('cannot send an expression that is deep, long or full of loops', () => {
    const deep = `${'('.repeat(200)}true${')'.repeat(200)}`
    const wide = Array.from({ length: 400 }, () => '1').join('+')
    const loops = 'e.all(a, e.all(b, e.all(c, true)))'
    for (const source of [deep, `${wide} > 1`, '!'.repeat(400) + 'true'])
      expect(() => compileCondition(source)).toThrow()
    expect(() => compileCondition(loops)).toThrow('more than 2 nested loops')
    expect(matches('e.all(a, e.all(b, true)) && e.all(c, true)', { e: [1] })).toBe(true)
  })
})

/** Mulberry32. */
function randomOf(seed: number): (max: number) => number {
  let state = seed
  return (max) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % max
  }
}

describe('random expressions on random events', () => {
  const SEEDS = Array.from({ length: 8 }, (_, n) => n + 1)

  it.each(SEEDS)('always end with a bool or an error, within the steps (seed %i)', (seed) => {
    const random = randomOf(seed)
    const pick = <Item>(items: readonly Item[]) => items[random(items.length)]!
    const names = ['event', 'a', 'b', 'x', 'headers', 'constructor', 'zz']
    const make = (depth: number): string => {
      if (depth === 0) return pick([...names, '1', '2.5', '"a"', 'true', 'null', '[]', '{}', '-1'])
      const next = () => make(depth - 1 - random(Math.min(2, depth)))
      return pick([
        () =>
          `${next()} ${pick(['==', '!=', '<', '>=', '+', '-', '*', '/', '%', '&&', '||', 'in'])} ${next()}`,
        () => `(${next()}).${pick(names)}`,
        () => `${next()}[${next()}]`,
        () => `(${next()}).${pick(['all', 'exists', 'exists_one', 'map', 'filter'])}(x, ${next()})`,
        () =>
          `(${next()}).${pick(['contains', 'startsWith', 'split', 'indexOf', 'join'])}(${next()})`,
        () =>
          `${pick(['size', 'int', 'double', 'string', 'bool', 'timestamp', 'has', '!', '-'])}(${next()})`,
        () => `(${next()}) ? (${next()}) : (${next()})`,
        () => `[${next()}, ${next()}]`,
        () => `{"a": ${next()}}`,
      ])()
    }
    const value = (depth: number): unknown =>
      pick([
        () => random(100) / 4,
        () => pick(['', 'a', 'ab', 'x'.repeat(random(10_000))]),
        () => null,
        () => random(2) === 0,
        () => (depth > 0 ? Array.from({ length: random(500) }, () => value(depth - 3)) : []),
        () =>
          depth > 0
            ? Object.fromEntries(
                pick([names, names.slice(0, 3)]).map((name) => [name, value(depth - 1)]),
              )
            : {},
      ])()
    let compiled = 0
    for (let n = 0; n < 400; n++) {
      const source = make(1 + random(6))
      const variables = { event: value(5), a: value(2), b: value(2), headers: {} }
      let condition
      try {
        condition = compileCondition(source)
        compiled++
      } catch (error) {
        expect(error, source).toMatchObject({ name: 'ExpressionError' })
        continue
      }
      try {
        expect(typeof condition.evaluate(variables), source).toBe('boolean')
        expect(condition.steps, source).toBeLessThanOrEqual(EXPRESSION_STEPS_MAX)
      } catch (error) {
        expect(error, source).toMatchObject({ name: 'ExpressionError' })
      }
    }
    expect(compiled).toBeGreaterThan(20)
  })

  it.each(SEEDS)('arbitrary text is compiled or rejected (seed %i)', (seed) => {
    const random = randomOf(seed * 1_000)
    const letters = 'ab.()[]{}"\'+-*/%!=<>&|?:, 01\\\n\u0000é🦄event'
    for (let n = 0; n < 1_000; n++) {
      const source = Array.from(
        { length: 1 + random(40) },
        () => letters[random(letters.length)],
      ).join('')
      try {
        compileCondition(source)
      } catch (error) {
        expect(error, JSON.stringify(source)).toMatchObject({ name: 'ExpressionError' })
      }
    }
  })

  it('deeply nested events are evaluated without overflowing the stack', () => {
    const nest = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
    expect(matches('event == other', { event: nest(512), other: nest(512) })).toBe(true)
    expect(matches('event.a.a.a == other', { event: nest(512), other: nest(12) })).toBe(false)
  })
})
