import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeChange } from '../../origin/contracts/governance/change.ts'
import { openLocalChain } from '../../origin/stack/chain.ts'
import { governanceMembers } from '../../origin/stack/governance.ts'
import { sourceCommit } from '../../shared/packaging/source-commit.ts'
import { ALL_PASSED, outcomes, reasonOf } from '../shared/cli/command-line.ts'
import { type StartedStack, startStack } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let started: StartedStack
beforeAll(async () => {
  started = await startStack()
})
afterAll(() => started.stop())

/** Runs `npx svc …` in the checkout, as in README.md. */
function svc(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, SVC_STATE_DIR: started.stateDir }
  return new Promise((resolve) =>
    execFile('npx', ['svc', ...words], { cwd: root, env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    ),
  )
}

const withoutMark = (commit: string) => commit.replace(/-dirty$/, '')

const bundle = () => join(started.stateDir, 'bundle.json')

describe('npx svc verify against a local stack', () => {
  it('reports SIMULATED with all seven rules passed, and the source of the remaining inputs', async () => {
    const ran = await svc('verify', started.baseUrl, '--save', bundle())
    expect(outcomes(ran), ran.out + ran.err).toEqual(ALL_PASSED)
    expect(ran.out).toMatch(/^SIMULATED: /m)
    expect(ran.out).toContain(`from the local stack (${started.stateDir}/stack.json)`)
    expect(ran.code).toBe(3)
  })

  it('verifies the saved bundle without the addresses of the stack', async () => {
    const ran = await svc('verify', '--offline', bundle())
    expect(outcomes(ran), ran.out + ran.err).toEqual(ALL_PASSED)
    expect(ran.code).toBe(3)
  })

  it('names the governance contract as the application, with the certificate of the stack', () => {
    const { info, files } = JSON.parse(readFileSync(bundle(), 'utf8'))
    expect(`0x${info.app_id}`).toBe(started.stack.addresses().governance.toLowerCase())
    const served = readFileSync(started.stack.certificateFile, 'utf8')
    expect(files['cert-localhost.pem']).toBe(served)
  })

  it('serves the version and the commit of the checkout, from the origin and from the edge', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const commit = await sourceCommit(root)
    const { baseUrl, triggersUrl } = started
    for (const url of [`${baseUrl}/health`, `${baseUrl}/info`, `${triggersUrl}/health`]) {
      const shown: any = await (await fetch(url)).json()
      expect(shown).toMatchObject({ version, commit: expect.stringMatching(/^[0-9a-f]{40}/) })
      // Files may be generated while the tests run.
      expect(withoutMark(shown.commit)).toBe(withoutMark(commit))
    }
  })

  it('reports the certificate as not applicable for the edge, with the reason', async () => {
    const ran = await svc('verify', started.triggersUrl)
    expect(outcomes(ran), ran.out + ran.err).toEqual({
      ...ALL_PASSED,
      certificate: 'not applicable',
    })
    expect(reasonOf(ran, 'certificate')).toContain('does not use TLS')
    expect(ran.code).toBe(3)
  })

  it('reports FAILED after the members withdraw the compose hash', async () => {
    const { info } = JSON.parse(readFileSync(bundle(), 'utf8'))
    const { chain_rpc, governance } = started.stack.addresses()
    const provider = openLocalChain(chain_rpc)
    try {
      const members = await governanceMembers(provider)
      await makeChange(governance, 'withdrawComposeHash', `0x${info.compose_hash}`, members)
    } finally {
      provider.destroy()
    }
    const ran = await svc('verify', started.baseUrl)
    expect(outcomes(ran), ran.out + ran.err).toEqual({ ...ALL_PASSED, governance: 'failed' })
    expect(ran.out).toMatch(/^FAILED: /m)
    expect(ran.code).toBe(1)
  })
})
