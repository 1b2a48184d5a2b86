import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FIRST_ACTION } from '../../edge/browser/console/start/first-steps.ts'
import { EXAMPLES } from '../../shared/cli/project/examples.ts'
import { buildScripts, bundlePath, SCRIPTS } from '../../edge/browser/build.ts'

await buildScripts()

describe.each(SCRIPTS)('the script %s', (script) => {
  const bundle = readFileSync(bundlePath(script), 'utf8')
    // A declaration in the text of TypeScript's libraries, which the language service contains.
    .replace('declare function eval(', '')

  test('does not turn text into code or markup', () => {
    expect(bundle).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write\b|\beval\(/)
  })
})

test('keeps the language service of editors below 1.2 MB, gzipped', () => {
  const { length } = gzipSync(readFileSync(bundlePath('language')))
  expect(length).toBeLessThan(1_200_000)
})

test('the editor starts exactly the language service that is served', () => {
  const version = hash('sha256', readFileSync(bundlePath('language')))
  expect(readFileSync(bundlePath('editor'), 'utf8')).toContain(version)
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

test('offers the examples that triggers run, without source maps of their first versions', () => {
  const bundle = readFileSync(bundlePath('examples'), 'utf8')
  const offered = [...bundle.matchAll(/\{name:"([\w-]+)",description:/g)].map(([, name]) => name!)
  const examples = new URL('../../examples/', import.meta.url)
  const withTriggers = Object.keys(EXAMPLES).filter(
    (name) => JSON.parse(readFileSync(new URL(`${name}/svc.json`, examples), 'utf8')).triggers,
  )
  expect(offered).toEqual(withTriggers)
  expect(bundle).not.toContain('sourceMappingURL')
})

test('uses the action of docs/by-hand.md in the first steps of the console, byte for byte', () => {
  const walk = readFileSync(new URL('../../docs/by-hand.md', import.meta.url), 'utf8')
  expect(walk.includes(`\n${FIRST_ACTION}`)).toBe(true)
})
