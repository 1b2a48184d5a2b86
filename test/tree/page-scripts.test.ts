import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FIRST_ACTION } from '../../edge/browser/console/start/first-steps.ts'
import { buildScripts, bundlePath, SCRIPTS } from '../../edge/browser/build.ts'

await buildScripts()

describe.each(SCRIPTS)('the script %s', (script) => {
  const bundle = readFileSync(bundlePath(script), 'utf8')

  test('does not turn text into code or markup', () => {
    expect(bundle).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write\b|\beval\(/)
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
