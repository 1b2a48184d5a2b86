import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { scriptText } from '../../edge/console/verify/build.ts'

const committed = readFileSync(
  new URL('../../edge/console/verify/script.txt', import.meta.url),
  'utf8',
)

test('the script of /verify is what comes of the sources: else run npm run verify-page', async () => {
  expect((await scriptText()) === committed).toBe(true)
})

test('the script of /verify makes no code and no markup of text', () => {
  expect(committed).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write\b/)
})
