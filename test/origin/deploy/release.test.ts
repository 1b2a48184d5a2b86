import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { billOfMaterials, readSigningKey, requireTag } from '../../../origin/deploy/release.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-release-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a release', () => {
  it('is built from the tagged commit only', () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd: folder })
    git('init', '--quiet')
    git('commit', '--quiet', '--allow-empty', '-m', 'first')
    expect(() => requireTag('v1.2.3', folder)).toThrow('HEAD does not have the tag v1.2.3')
    git('tag', 'v1.2.3')
    expect(() => requireTag('v1.2.3', folder)).not.toThrow()
    expect(() => requireTag('v1.2.4', folder)).toThrow('HEAD does not have the tag v1.2.4')
    writeFileSync(join(folder, 'changed'), '')
    expect(() => requireTag('v1.2.3', folder)).toThrow('the checkout has changes')
    expect(existsSync(join(folder, 'release'))).toBe(false)
  })

  it('is signed with an Ed25519 key', () => {
    const write = (type: 'ed25519' | 'x25519') => {
      const { privateKey } = generateKeyPairSync(type as 'ed25519')
      const file = join(folder, type)
      writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
      return file
    }
    expect(readSigningKey(write('ed25519')).asymmetricKeyType).toBe('ed25519')
    expect(() => readSigningKey(write('x25519'))).toThrow('expected an Ed25519 key')
  })

  it('lists the production packages, the same each time', () => {
    const text = billOfMaterials()
    expect(billOfMaterials()).toBe(text)
    const { components } = JSON.parse(text) as { components: { purl: string }[] }
    const listed = components.map(({ purl }) => decodeURIComponent(purl))
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { version: string; dev?: true }>
    }
    const missing = Object.entries(packages)
      .filter(([path, { dev }]) => path !== '' && !dev)
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`)
      .filter((name) => !listed.some((purl) => purl === `pkg:npm/${name}`))
    // The list has the package's own name instead of the name under which it is installed.
    expect(missing).toEqual(['ethers-v5@5.8.0'])
    expect(listed.filter((purl) => /npm\/(wrangler|vitest)@/.test(purl))).toEqual([])
  })
})
