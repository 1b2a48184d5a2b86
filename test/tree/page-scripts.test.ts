import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FIRST_ACTION } from '../../edge/browser/console/start/first-action.ts'
import { bundlePath, SCRIPTS, bundleScript } from '../../edge/browser/build.ts'

describe.each(SCRIPTS)('the script %s', (script) => {
  const committed = readFileSync(bundlePath(script), 'utf8')

  test('matches its sources, otherwise run npm run page-scripts', async () => {
    expect((await bundleScript(script)) === committed).toBe(true)
  })

  test('does not turn text into code or markup', () => {
    expect(committed).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write\b|\beval\(/)
  })
})

test('serves every script', () => {
  const http = new URL('../../edge/pages/', import.meta.url)
  const served = readdirSync(http, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(new URL(file, http), 'utf8'))
    .flatMap((text) => [...text.matchAll(/browser\/([a-z-]+)\/script\.txt'/g)])
    .map(([, folder]) => folder!)
  expect(served.toSorted()).toEqual(SCRIPTS.toSorted())
})

test('uses the action of docs/by-hand.md in the first steps of the console, byte for byte', () => {
  const walk = readFileSync(new URL('../../docs/by-hand.md', import.meta.url), 'utf8')
  expect(walk.includes(`\n${FIRST_ACTION}`)).toBe(true)
})
