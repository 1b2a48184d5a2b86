import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { builtScriptFile, SCRIPTS, scriptText } from '../../edge/console/build.ts'

describe.each(SCRIPTS)('the script %s', (script) => {
  const committed = readFileSync(builtScriptFile(script), 'utf8')

  test('is what comes of the sources: else run npm run page-scripts', async () => {
    expect((await scriptText(script)) === committed).toBe(true)
  })

  test('makes no code and no markup of text', () => {
    expect(committed).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write\b|\beval\(/)
  })
})

test('each script is handed out, under the name of its folder', () => {
  const file = new URL('../../edge/http/page-script.ts', import.meta.url)
  const entries = readFileSync(file, 'utf8').matchAll(
    /^ {2}'?([a-z-]+)'?: \(\) => import\('\.\.\/console\/([a-z-]+)\/script\.txt'\)/gm,
  )
  const served = [...entries].map(([, name, folder]) => [name, folder])
  expect(served.toSorted()).toEqual(SCRIPTS.toSorted().map((script) => [script, script]))
})
