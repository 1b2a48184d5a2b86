import { describe, expect, it } from 'vitest'
import { INVALID_SOURCES, VALID_SOURCES } from '../../doubles/action-sources.ts'
import { compileErrorOf } from '../../../edge/compile-check/compile-error.ts'

describe('compileErrorOf', () => {
  it.each(VALID_SOURCES)('accepts %s', async (_, source) => {
    expect(await compileErrorOf(source)).toBeUndefined()
  })

  it.each(INVALID_SOURCES)(
    'returns the position of the error in %j',
    async (source, line, column) => {
      expect(await compileErrorOf(source)).toMatchObject({
        message: expect.any(String),
        line,
        column,
      })
    },
  )

  it('ATTACK: does not run the source', async () => {
    expect(await compileErrorOf('for (;;);')).toBeUndefined()
    expect(await compileErrorOf('throw new SyntaxError("a")')).toBeUndefined()
  })

  it('ATTACK: a source whose compilation takes quadratic time is stopped and counts as valid', async () => {
    const many = (part: (n: string) => string) =>
      Array.from({ length: 60_000 }, (_, n) => part(n.toString(36))).join('')
    // Without a limit, each of these takes 10 s or longer.
    const slow = [
      `function main() { ${many((n) => `let a${n} = () => a${n};`)} }`,
      `${'('.repeat(300)}${many((n) => `a${n},`)}a${')'.repeat(300)}`,
      `/${String.raw`\p{L}`.repeat(150_000)}/iu`,
    ]
    for (const source of slow) expect(await compileErrorOf(`${source}\nlet 1`)).toBeUndefined()
  })

  it('ATTACK: a source that cannot be compiled with the stack of a Worker does not stop the edge', async () => {
    for (const [open, close] of ['()', '[]', '{}'])
      await compileErrorOf(open!.repeat(200_000) + close!.repeat(200_000))
    expect(await compileErrorOf('let 1')).toMatchObject({ line: 1 })
  })

  it('ATTACK: a previous source has no effect on the next result', async () => {
    await compileErrorOf(`const main = 1; ${'const a = `${'.repeat(5_000)}`)
    const [good, bad] = await Promise.all([
      compileErrorOf('const main = 1'),
      compileErrorOf('const main = 1; const main = 2'),
    ])
    expect(good).toBeUndefined()
    expect(bad).toMatchObject({ line: 1 })
  })
})
