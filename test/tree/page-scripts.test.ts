import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { builtScriptFile, PAGES_WITH_SCRIPT, scriptText } from '../../edge/console/build.ts'

describe.each(PAGES_WITH_SCRIPT)('the script of the page %s', (page) => {
  const committed = readFileSync(builtScriptFile(page), 'utf8')

  test('is what comes of the sources: else run npm run page-scripts', async () => {
    expect((await scriptText(page)) === committed).toBe(true)
  })

  test('makes no code and no markup of text', () => {
    expect(committed).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write\b/)
  })
})
