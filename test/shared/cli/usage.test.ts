import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { svc } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-usage-'))
writeFileSync(join(folder, 'text'), 'no JSON')
writeFileSync(join(folder, 'list.json'), '[{"mrtd":"00"}]')
afterAll(() => rmSync(folder, { recursive: true }))

const HOST = 'https://origin.example'

describe('a command line that is not right', () => {
  it.each<[string, string[], RegExp]>([
    ['neither URL nor bundle', [], /takes a URL/],
    ['both', [HOST, '--offline', 'x'], /takes a URL/],
    ['no URL', ['origin.example'], /not an https:\/\/ URL/],
    ['a URL without TLS', ['http://origin.example'], /not an https:\/\/ URL/],
    ['a host that only looks like this machine', ['http://localhost.example'], /not an https/],
    ['a URL with a path', [`${HOST}/evidences/`], /more than a host/],
    ['a URL with a password', ['https://a:b@origin.example'], /more than a host/],
    ['--offline with --rpc-url', ['--offline', 'x', '--rpc-url', HOST], /--rpc-url needs a URL/],
    ['--offline with --save', ['--offline', 'x', '--save', 'y'], /--save needs a URL/],
    ['a bundle that is not there', ['--offline', 'absent.json'], /absent\.json/],
    ['an RPC URL that is none', [HOST, '--rpc-url', 'ftp://x'], /--rpc-url/],
    ['a name server without an address', [HOST, '--dns-server', 'ns.example'], /--dns-server/],
    ['an app id that is too short', [HOST, '--app-id', '00'], /--app-id: .*20 bytes/],
    ['a compose hash that is none', [HOST, '--compose-hash', 'zz'], /--compose-hash: .*32 bytes/],
    ['a status that nobody accepts', [HOST, '--tcb-status', 'Revoked'], /--tcb-status Revoked/],
    ['a file that is no JSON', [HOST, '--collateral', 'text'], /--collateral text/],
    ['a collateral of another shape', [HOST, '--collateral', 'list.json'], /--collateral/],
    ['measurements that are cut', [HOST, '--measurements', 'list.json'], /--measurements 0 mrtd/],
    ['an authority that is not there', [HOST, '--ca', 'absent.pem'], /--ca .*absent\.pem/],
    ['no time', [HOST, '--timeout', '0'], /--timeout 0/],
    ['an option that is none', [HOST, '--trust-me'], /unknown option/],
  ])('%s: exit code 2, and what is wrong', async (_, words, complaint) => {
    const ran = await svc(['verify', ...words], { folder })
    expect(ran.err).toMatch(complaint)
    expect(ran).toMatchObject({ code: 2, out: '' })
  })

  it('names no command that there is not', async () => {
    const ran = await svc(['verifye'])
    expect(ran.err).toMatch(/unknown command/)
    expect(ran.code).toBe(2)
  })
})

it('--help says the options and the exit codes', async () => {
  const { code, out } = await svc(['verify', '--help'])
  expect(out).toContain('--rpc-url')
  expect(out).toContain('0 HARDWARE, 3 SIMULATED, 1 FAILED, 2 wrong usage')
  expect(code).toBe(0)
})
