import { expect, it } from 'vitest'
import { returned, sharedPool } from './sandbox.ts'

const sandbox = sharedPool()
const lines = async (code: string) =>
  returned(await sandbox.run(code)).logs.map(({ level, text }) => [level, text])

it('each method of console writes at its level', async () => {
  const code = `function main() {
    for (const level of ['log', 'info', 'warn', 'error', 'debug']) console[level](level, 1)
    console.dir({ a: 1 }, { depth: 0 })
  }`
  const levels = ['log', 'info', 'warn', 'error', 'debug'].map((level) => [level, `${level} 1`])
  expect(await lines(code)).toEqual([...levels, ['log', '{"a":1}']])
})

it('console.assert writes only failed assertions', async () => {
  const code = `function main() {
    console.assert(true, 'never'); console.assert(1 === 2); console.assert(false, 'sum', { is: 3 })
    console.assert()
  }`
  const failure = ['error', 'Assertion failed']
  expect(await lines(code)).toEqual([failure, ['error', 'Assertion failed: sum {"is":3}'], failure])
})

it('console.trace shows the caller, without internal frames', async () => {
  const code = 'function inner() {\n  console.trace("here", 1)\n}\nfunction main() { inner() }'
  const [line, ...more] = await lines(code)
  expect(more).toEqual([])
  expect(line?.[1]).toMatch(
    /^Trace: here 1\n {4}at inner \(action\.js:2:\d+\)\n {4}at main \(action\.js:4:\d+\)$/,
  )
})

it('an error is shown with only the lines of the action', async () => {
  const code = `async function main() {
    await new Promise((done) => setTimeout((ms) => { console.log(new RangeError('far')); done() }, 1, 1))
    console.log(new DOMException('gone', 'AbortError'))
    try { new URL('nowhere') } catch (error) { console.log(error) }
  }`
  const shown = (await lines(code)).map(([, text]) => text)
  expect(shown).toEqual([
    expect.stringMatching(/^RangeError: far\n {4}at <anonymous> \(action\.js:2:\d+\)$/),
    expect.stringMatching(/^AbortError: gone\n {4}at main \(action\.js:3:\d+\)$/),
    expect.stringMatching(/^TypeError: Invalid URL\n {4}at main \(action\.js:4:\d+\)$/),
  ])
})
