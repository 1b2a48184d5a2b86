import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { publicKey, privateKey } = generateKeyPairSync('ed25519')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-release-test-'))
  writeFileSync(join(folder, 'key.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Builds a release of the last commit in a new clone. */
function releaseIn(clone: string): string {
  execFileSync('git', ['clone', '--quiet', root, clone])
  cpSync(join(root, 'node_modules'), join(clone, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  const output = `${clone}-release`
  const args = ['--snapshot', '--output', output, '--sign-key', join(folder, 'key.pem')]
  execFileSync('npm', ['run', '-s', 'release', '--', ...args], { cwd: clone, stdio: 'pipe' })
  return output
}

it('has the same bytes in two folders, and a valid signature', () => {
  const [one, other] = [join(folder, 'one'), join(folder, 'a', 'deeper', 'folder')].map(releaseIn)
  const sums = readFileSync(join(one!, 'SHA256SUMS'))
  expect(readFileSync(join(other!, 'SHA256SUMS'), 'utf8')).toBe(sums.toString())
  const check = (command: string) =>
    execFileSync('bash', ['-ec', command], { cwd: one!, stdio: 'pipe' })
  const inputs = `-pubin -inkey ${folder}/key.pub -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig`
  check(`openssl pkeyutl -verify ${inputs}; sha256sum --check --strict SHA256SUMS`)
  const { components } = JSON.parse(readFileSync(join(one!, 'sbom.cdx.json'), 'utf8'))
  expect(components.length).toBeGreaterThan(50)
}, 900_000)
