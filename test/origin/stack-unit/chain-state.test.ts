import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ChainState, isWholeJson } from '../../../origin/stack/chain-state.ts'
import { ChildFailed } from '../../../origin/stack/child.ts'

const WHOLE = '{"block":{"number":7},"accounts":{"0x1":{"code":"0x\\"}]"}},"blocks":[[],{}]}'

let folder: string
let told: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-chain-state-'))
  told = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const path = (name: string) => join(folder, name)
const recover = () => new ChainState(folder).recover((line) => told.push(line))

/** Writes the chain's file, as of so many seconds after 1970. */
function write(text: string, seconds = 1_000): void {
  writeFileSync(path('state.json'), text)
  utimesSync(path('state.json'), seconds, seconds)
}

it('every beginning of a state is told from the whole of it, and so are zeros', async () => {
  for (let length = 0; length < WHOLE.length; length++) {
    write(WHOLE.slice(0, length))
    expect(await isWholeJson(path('state.json')), WHOLE.slice(0, length)).toBe(false)
  }
  write(WHOLE)
  expect(await isWholeJson(path('state.json'))).toBe(true)
  write(`${WHOLE}\n`)
  expect(await isWholeJson(path('state.json'))).toBe(true)
  for (const text of [
    `${WHOLE}\0\0`,
    `${WHOLE}${WHOLE}`,
    '\0\0\0',
    WHOLE.replace('0x1', '\0\0\0'),
  ]) {
    write(text)
    expect(await isWholeJson(path('state.json')), text).toBe(false)
  }
})

it('a whole state is left as it is, and copied', async () => {
  write(WHOLE)
  await recover()
  expect(readFileSync(path('state.json'), 'utf8')).toBe(WHOLE)
  expect(readFileSync(path('state.good.json'), 'utf8')).toBe(WHOLE)
  expect(told).toEqual([])
})

it('a torn state is replaced by its good copy, and the line says how much is lost', async () => {
  write(WHOLE, 1_000)
  await recover()
  write(WHOLE.slice(0, 40), 1_007)
  await recover()
  expect(readFileSync(path('state.json'), 'utf8')).toBe(WHOLE)
  expect(told).toEqual([expect.stringMatching(/last good copy is used.*at most 7 s of chain/)])
})

it('a state that is torn while it is copied does not become the good copy', async () => {
  write(WHOLE)
  await recover()
  write(WHOLE.slice(0, 40), 1_005)
  expect(await new ChainState(folder).keep()).toBe(false)
  expect(readFileSync(path('state.good.json'), 'utf8')).toBe(WHOLE)
})

it('a new chain whose first write is torn begins anew', async () => {
  await recover()
  write(WHOLE.slice(0, 40))
  await recover()
  expect(existsSync(path('state.json'))).toBe(false)
  expect(told).toHaveLength(1)
})

it('a state that is gone comes back from its good copy', async () => {
  write(WHOLE)
  await recover()
  rmSync(path('state.json'))
  await recover()
  expect(readFileSync(path('state.json'), 'utf8')).toBe(WHOLE)
  expect(told).toEqual(['state.json was missing: its last good copy is used'])
})

it('a torn state without any copy is an error that says what to do, and is not touched', async () => {
  write(WHOLE.slice(0, 40))
  await expect(recover()).rejects.toThrow(ChildFailed)
  await expect(recover()).rejects.toThrow(/state\.json is incomplete.*copy of your own.*begin anew/)
  expect(readFileSync(path('state.json'), 'utf8')).toBe(WHOLE.slice(0, 40))
})

it('a write is copied soon after it, without a start', async () => {
  const state = new ChainState(folder)
  await state.recover(() => {})
  state.watch()
  try {
    write(WHOLE, Date.now() / 1_000)
    await expect
      .poll(() => readFileSync(path('state.good.json'), 'utf8'), { timeout: 10_000 })
      .toBe(WHOLE)
  } finally {
    state.stop()
  }
})

it('the next start of a chain does not disturb a copy in progress', async () => {
  write(WHOLE)
  const state = new ChainState(folder)
  for (let start = 0; start < 20; start++) {
    write(WHOLE.replace('7', String(start)), 2_000 + start)
    const underWay = state.keep()
    await state.recover((line) => told.push(line))
    expect(await underWay).toBe(true)
  }
  expect(told).toEqual([])
})
