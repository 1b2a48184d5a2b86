import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { addFuel, withFuel } from '../../../origin/actions/engine/fuel.ts'
import { EDGE_ENGINE } from '../../../origin/actions/engine/write-edge-engine.ts'
import { cycleBreakers } from '../../../origin/actions/engine/wasm/call-cycles.ts'
import { addHeapEnd } from '../../../origin/actions/engine/wasm/heap-end.ts'
import { readLayout } from '../../../origin/actions/engine/wasm/module.ts'
import { createTestEngine, Module, stockModule, validate } from './fuel-engine.ts'

const stock = stockModule()
const fueled = withFuel(stock)

describe('the engine with fuel', () => {
  it('is a valid module', () => {
    expect(validate(fueled)).toBe(true)
  })

  it('exports the end of its heap in addition to the original exports, but not its counter', () => {
    const heapEnd = { name: 'heapEnd', kind: 'global' }
    expect(Module.exports(new Module(fueled))).toEqual([
      ...Module.exports(new Module(stock)),
      heapEnd,
    ])
    expect(Module.imports(new Module(fueled))).toEqual(Module.imports(new Module(stock)))
  })

  it('has exactly one function that moves the end of its heap', () => {
    const end = readLayout(stock).bodies.at(-1)!.end
    expect(() => addHeapEnd(stock.subarray(0, end))).toThrow(Error)
    const moved = Buffer.from(stock)
    const store = Buffer.from([0x41, 0xd0, 0xa6, 0x05, 0x20, 0x00, 0x36, 0x02, 0x00])
    moved[moved.indexOf(store) + 1] = 0xd4
    expect(() => addHeapEnd(moved)).toThrow('in 0 functions instead of 1')
  })

  it('is deterministic and leaves the input module unchanged', () => {
    expect(Buffer.compare(withFuel(stock), fueled)).toBe(0)
    expect(Buffer.compare(stock, stockModule())).toBe(0)
  })

  it('is what the edge compiles sources with', () => {
    // If this fails, run `npm run edge-engine`.
    expect(Buffer.compare(readFileSync(EDGE_ENGINE), fueled)).toBe(0)
  })

  it('grows by less than a tenth', () => {
    expect(fueled.length / stock.length).toBeLessThan(1.1)
  })
})

describe('a module is rejected', () => {
  const changed = (change: (bytes: Uint8Array) => void) => {
    const bytes = stock.slice()
    change(bytes)
    return bytes
  }
  const code = readLayout(stock).bodies[0]?.codeAt ?? 0

  it('if it is another build of the engine', () => {
    const other = changed((bytes) => {
      bytes[bytes.length - 1] = 0xff
    })
    expect(() => withFuel(other)).toThrow(/not the build that fuel\.ts supports: its SHA-256 is/)
  })

  it.each([
    ['that nobody knows', 0xff],
    ['of threads', 0xfe],
    ['of vectors', 0xfd],
    ['of exceptions', 0x06],
    ['that grows the memory', 0x40],
    ['that changes the table', 0x26],
    ['that calls at the end', 0x12],
  ])('if it has an instruction %s', (_name, opcode) => {
    const other = changed((bytes) => {
      bytes[code] = opcode
    })
    expect(() => addFuel(other)).toThrow(/unknown instruction 0x/)
  })

  it('if it is truncated at any position', () => {
    for (let length = 0; length < stock.length; length += 9973)
      expect(() => addFuel(stock.subarray(0, length))).toThrow(Error)
  })

  it('if it was already rewritten', () => {
    expect(() => addFuel(fueled)).toThrow('has other sections than expected')
  })
})

describe('the functions that consume fuel on entry', () => {
  const layout = readLayout(stock)
  const breakers = cycleBreakers(layout)

  it('cover every cycle of calls, direct or through the table', () => {
    const { bodies, imports, functionTypes, tableFunctions, types } = layout
    const typeOf = (index: number) =>
      JSON.stringify(types[functionTypes[index - imports.length] ?? -1])
    const callees = new Map(
      bodies.map(({ index, calls, callTypes }) => {
        const wanted = new Set([...callTypes].map((type) => JSON.stringify(types[type])))
        const indirect = tableFunctions.filter((callee) => wanted.has(typeOf(callee)))
        return [index, [...calls, ...indirect]]
      }),
    )
    const left = new Set(callees.keys())
    for (const index of breakers) left.delete(index)
    // The remaining graph can be removed leaf by leaf only if it has no cycle.
    for (let before = Infinity; left.size < before;) {
      before = left.size
      for (const index of left)
        if (!callees.get(index)?.some((callee) => left.has(callee))) left.delete(index)
    }
    expect(left.size).toBe(0)
  })

  it('are few', () => {
    expect(breakers.size).toBeGreaterThan(0)
    expect(breakers.size).toBeLessThan(100)
  })
})

describe('the host', () => {
  let engine: Awaited<ReturnType<typeof createTestEngine>>
  beforeAll(async () => {
    engine = await createTestEngine(fueled)
  })

  it('is called by a native loop that the interpreter does not count', () => {
    const before = { ...engine.asked }
    engine.run('[].includes.call({ length: 3e6 }, 1)')
    expect(engine.asked.fuel - before.fuel).toBeGreaterThan(20)
    // Once, at the very first call.
    expect(engine.asked.interpreter - before.interpreter).toBeLessThanOrEqual(1)
  })

  it('is called by straight-line code without jumps or calls', () => {
    const before = { ...engine.asked }
    engine.run(
      'const f = new Function("a", "a + 1;".repeat(2e4)); for (let i = 0; i < 100; i++) f(1)',
    )
    expect(engine.asked.fuel - before.fuel).toBeGreaterThan(20)
  })

  it('is called equally often for the same work, regardless of previous programs', () => {
    const work = '[].includes.call({ length: 3e6 }, 1)'
    const asked = [0, 1, 2, 3].map(() => {
      const before = engine.asked.fuel
      engine.run(work)
      return engine.asked.fuel - before
    })
    expect(Math.max(...asked) - Math.min(...asked)).toBeLessThanOrEqual(1)
  })
})
