import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { COMMIT_FILE, readBuild, VERSION } from '../../origin/version.ts'

const [OF_IMAGE, OF_SETTING] = ['a'.repeat(40), 'b'.repeat(40)]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-version-'))
})
afterEach(() => rmSync(folder, { recursive: true }))
const root = () => pathToFileURL(`${folder}/`)

it('in an image is the commit of the image, whatever the setting says', () => {
  writeFileSync(join(folder, COMMIT_FILE), `${OF_IMAGE}\n`)
  expect(readBuild(undefined, root())).toEqual({ version: VERSION, commit: OF_IMAGE })
  expect(readBuild(OF_SETTING, root()).commit).toBe(OF_IMAGE)
})

it('in a checkout is the commit of the setting, or unknown', () => {
  expect(readBuild(OF_SETTING, root()).commit).toBe(OF_SETTING)
  expect(readBuild(undefined, root()).commit).toBe('unknown')
})
